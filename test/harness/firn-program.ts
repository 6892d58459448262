import { nodeFlags } from '../../src/cli/node-flags.ts';
import { programPath } from '../../src/program-files.ts';

/** Node's arguments that start `firn` as it was built of these sources (test/built-sources.ts). */
export const firnProgram: readonly string[] = [...nodeFlags, programPath('main')];

/** The same for the demo. */
export const demoProgram: readonly string[] = [...nodeFlags, programPath('cli/demo')];
