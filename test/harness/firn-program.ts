import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../src/cli/node-flags.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Node's arguments that start `firn`: the sources or, with FIRN_TEST_BUILT=1, the output of `npm run build`, which
 * starts in a third of the time. After changing the sources, build again.
 */
export const firnProgram: readonly string[] = programOf('main');

/** The same for the demo. */
export const demoProgram: readonly string[] = programOf('cli/demo');

function programOf(entry: string): string[] {
  if (process.env['FIRN_TEST_BUILT'] === '1') return [...nodeFlags, pathOf(`../../dist/${entry}.js`)];
  // By its place: tests start it in other folders, too.
  const loader = new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
  return [...nodeFlags, '--import', loader, pathOf(`../../src/${entry}.ts`)];
}
