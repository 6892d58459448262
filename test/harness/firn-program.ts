import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../src/cli/node-flags.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * What Node is given to be `firn`, before its arguments: the sources, or, where FIRN_TEST_BUILT is 1, what
 * `npm run build` made of them, which starts in a third of the time. Whoever changes the sources then builds again.
 */
export const firnProgram: readonly string[] = [
  ...nodeFlags,
  ...(process.env['FIRN_TEST_BUILT'] === '1'
    ? [pathOf('../../dist/main.js')]
    : ['--import', 'tsx', pathOf('../../src/main.ts')]),
];
