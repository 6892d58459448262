import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirnError } from '../checkpoint/firn-error.ts';
import { checkNewFilePath } from '../checkpoint/names.ts';
import { foldersOf } from '../checkpoint/path-clash.ts';
import type { NativeCore } from '../native/core.ts';
import { corruptPackage } from '../package/corrupt-package.ts';
import { readStoredIndex } from '../package/open-package.ts';
import type { PackageFile } from '../package/package-index.ts';
import { ByteCache } from './byte-cache.ts';
import { PackageChain, type ChainedPackage } from './package-chain.ts';
import { openPlainFile } from './plain-file-reader.ts';
import { restoreToFile } from './restore-to-file.ts';

export interface UnpackRequest {
  readonly core: NativeCore;
  /** A package and all its ancestors, in any order. */
  readonly packagePaths: readonly string[];
  /** Created when missing; existing files are never overwritten. */
  readonly outFolder: string;
  readonly signal?: AbortSignal;
}

export interface UnpackedFile {
  readonly file: PackageFile;
  /** False for an external file: its bytes are an object of their own, to be downloaded as it is. */
  readonly written: boolean;
}

/**
 * Rebuilds the files of the newest of some packages with nothing but the packages. They appear under their paths once the digests of all are right; a
 * failure leaves none of them. Rejects with `invalid-request` (not one whole chain, or a name no disk takes), `not-found`, `conflict` (a file is there
 * already), `corrupt-package`, `unsupported-format`.
 */
export async function unpackPackages({ core, packagePaths, outFolder, signal }: UnpackRequest): Promise<UnpackedFile[]> {
  const packages = orderChain(await Promise.all(packagePaths.map((path) => identify(core, path))));
  const nothingKept = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<never>(0) };
  const chain = await PackageChain.open(nothingKept, packages, signal);
  try {
    const files = chain.files.filter(isInside);
    checkFree(files, outFolder);
    await mkdir(outFolder, { recursive: true });
    const scratch = await mkdtemp(join(outFolder, '.firn-unpack-'));
    try {
      await rebuild(chain, files, scratch, signal);
      // Something may have appeared while the files were rebuilt.
      checkFree(files, outFolder);
      await moveIntoPlace(files, scratch, outFolder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return chain.files.map((file) => ({ file, written: isInside(file) }));
  } finally {
    await chain.close();
  }
}

function isInside({ content }: PackageFile): boolean {
  return content.type !== 'external';
}

async function identify(core: NativeCore, path: string): Promise<ChainedPackage> {
  const reader = await openPlainFile(path);
  try {
    const { id, ancestorId } = await readStoredIndex(reader, core.crc32cSync);
    return { id, ancestorId, open: () => openPlainFile(path) };
  } finally {
    await reader.close();
  }
}

/** Newest first. */
function orderChain(packages: readonly ChainedPackage[]): ChainedPackage[] {
  const byId = new Map(packages.map((entry) => [entry.id, entry]));
  const ancestors = new Set(packages.map(({ ancestorId }) => ancestorId));
  const newest = [...byId.values()].filter(({ id }) => !ancestors.has(id));
  if (newest.length !== 1 || byId.size !== packages.length)
    throw new FirnError('invalid-request', 'The packages are not one chain: give one package and each of its ancestors once.');
  const chain: ChainedPackage[] = [];
  for (let next: ChainedPackage | undefined = newest[0]; next !== undefined;) {
    chain.push(next);
    const { ancestorId }: ChainedPackage = next;
    if (ancestorId === undefined) break;
    next = byId.get(ancestorId);
    if (next === undefined) throw new FirnError('invalid-request', `The package ${ancestorId} is missing: another one builds on it.`);
  }
  if (chain.length !== packages.length)
    throw new FirnError('invalid-request', 'The packages are not one chain: give one package and each of its ancestors once.');
  return chain;
}

/** Throws `invalid-request` for a name that no disk takes, `conflict` for a path that is taken; the paths are relative and without "..", as decoded. */
function checkFree(files: readonly PackageFile[], outFolder: string): void {
  for (const { path } of files) {
    if (existsSync(join(outFolder, checkNewFilePath(path)))) throw new FirnError('conflict', `The file ${path} is there already.`);
    const taken = foldersOf(path).find((folder) => statSync(join(outFolder, folder), { throwIfNoEntry: false })?.isDirectory() === false);
    if (taken !== undefined) throw new FirnError('conflict', `The file ${path} cannot be written: ${taken} is there already and is no folder.`);
  }
}

/** Rebuilds every file under its number in `scratch`; rejects unless all of them are what was stored. */
async function rebuild(chain: PackageChain, files: readonly PackageFile[], scratch: string, signal: AbortSignal | undefined): Promise<void> {
  for (const [number, file] of files.entries()) {
    const { sha256 } = await restoreToFile(chain.file(file.path).passing(signal), join(scratch, String(number)));
    if (sha256 !== file.sha256) throw corruptPackage(`${file.path} has digest ${sha256} instead of ${file.sha256}`);
  }
}

/** Moves the rebuilt files to their paths, all of them or none. */
async function moveIntoPlace(files: readonly PackageFile[], scratch: string, outFolder: string): Promise<void> {
  const moved: string[] = [];
  try {
    for (const [number, file] of files.entries()) {
      const path = join(outFolder, file.path);
      await mkdir(dirname(path), { recursive: true });
      await rename(join(scratch, String(number)), path);
      moved.push(path);
    }
  } catch (error) {
    for (const path of moved) await rm(path, { force: true });
    throw error;
  }
}
