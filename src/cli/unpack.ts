/**
 * `firn unpack PACKAGE... --out FOLDER` rebuilds the files of a downloaded package. A delta needs the packages of all
 * its ancestors, in any order. From a merged package it rebuilds the last checkpoint, or the one whose package id is
 * given with `--package`.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FirnError } from '../checkpoint/firn-error.ts';
import { loadCore } from '../native/load-core.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import { unpackUsage } from './command-help.ts';

/** Runs the command and returns the process's exit code; `say` and `complain` print one line each. */
export async function unpack(
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  try {
    const files = await unpackPackages({ core: loadCore(), ...readOptions(args) });
    for (const { file, written } of files) {
      say(
        written
          ? `${file.sha256}  ${file.path}`
          : `${file.path} is not in the package (${file.sizeBytes} bytes, sha256 ${file.sha256}): download it as it is`,
      );
    }
    return 0;
  } catch (error) {
    complain(error instanceof FirnError || error instanceof TypeError ? error.message : String(error));
    return 1;
  }
}

function readOptions(args: readonly string[]): {
  packagePaths: string[];
  outFolder: string;
  packageId: string | undefined;
} {
  const options = { out: { type: 'string' }, package: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (positionals.length === 0 || values.out === undefined)
    throw new FirnError('invalid-request', `Usage: ${unpackUsage}`);
  return { packagePaths: positionals, outFolder: values.out, packageId: values.package };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await unpack(
    process.argv.slice(2),
    (line) => process.stdout.write(`${line}\n`),
    (line) => process.stderr.write(`${line}\n`),
  );
}
