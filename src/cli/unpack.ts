import { loadCore } from '../native/load-core.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface UnpackOptions {
  readonly json?: boolean;
  readonly out: string;
  /** Id of a package. */
  readonly package?: string;
}

/**
 * `firn unpack PACKAGE... --out FOLDER`: rebuilds the files of a downloaded package. A delta needs the packages of all
 * its ancestors, in any order. From a merged package it rebuilds the last checkpoint, or the one whose package id is
 * given.
 */
export async function unpack(
  packagePaths: string[],
  { out, package: packageId }: UnpackOptions,
  { asJson, say }: Terminal,
): Promise<void> {
  const files = await unpackPackages({ core: loadCore(), packagePaths, outFolder: out, packageId });
  if (asJson) return say(JSON.stringify(files.map(({ file, written }) => ({ ...file, written }))));
  for (const { file, written } of files)
    say(
      written
        ? `${file.sha256}  ${file.path}`
        : `${file.path} is not in the package (${file.sizeBytes} bytes, sha256 ${file.sha256}): download it as it is`,
    );
}
