import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../src/cli/node-flags.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Node's arguments that start `firn`: the sources or, with FIRN_TEST_BUILT=1, the output of `npm run build`, which
 * starts in a third of the time. After changing the sources, build again.
 */
export const firnProgram: readonly string[] = [
  ...nodeFlags,
  ...(process.env['FIRN_TEST_BUILT'] === '1'
    ? [pathOf('../../dist/main.js')]
    : // By its place: tests start it in other folders, too.
      [
        '--import',
        new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href,
        pathOf('../../src/main.ts'),
      ]),
];
