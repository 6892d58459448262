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
import type { DecodedBlock } from './chain/block-reader.ts';
import { ByteCache } from './byte-cache.ts';
import { PackageChain, type ChainedPackage } from './chain/package-chain.ts';
import { openPlainFile } from './plain-file-reader.ts';
import { restoreToFile } from './restore-to-file.ts';

/** Cache of decoded blocks, in bytes: small inherited or gathered tensors share blocks. */
const blockCacheMaxBytes = 32 * 1024 * 1024;

export interface UnpackRequest {
  readonly core: NativeCore;
  /** A package and all its ancestors, in any order. */
  readonly packagePaths: readonly string[];
  /** Id of the package to rebuild, needed for one in a merged package; the newest when absent. */
  readonly packageId?: string | undefined;
  /** Created when missing; existing files are never overwritten. */
  readonly outFolder: string;
  readonly signal?: AbortSignal;
}

export interface UnpackedFile {
  readonly file: PackageFile;
  /**
   * False for an external file whose digest no other file of the package has. Its bytes must be downloaded as they are.
   */
  readonly written: boolean;
}

/**
 * Rebuilds the files of the newest of some packages from the packages alone. They appear under their paths once the
 * digests of all are right; a failure leaves none of them. Rejects with `invalid-request` (not one whole chain, or a
 * name that file systems refuse), `not-found`, `conflict` (a file exists already), `corrupt-package`,
 * `unsupported-format`.
 */
export async function unpackPackages({
  core,
  packagePaths,
  packageId,
  outFolder,
  signal,
}: UnpackRequest): Promise<UnpackedFile[]> {
  const packages = orderChain((await Promise.all(packagePaths.map((path) => identify(core, path)))).flat(), packageId);
  const kept = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<DecodedBlock>(blockCacheMaxBytes) };
  const chain = await PackageChain.open(kept, packages, signal);
  try {
    const files = chain.files.flatMap((file) => {
      const holder = holderOf(file, chain.files);
      return holder === undefined ? [] : [{ ...file, holder: holder.path }];
    });
    checkFree(files, outFolder);
    await mkdir(outFolder, { recursive: true });
    const scratch = await mkdtemp(join(outFolder, '.firn-unpack-'));
    try {
      await rebuild(chain, files, scratch, signal);
      // A file may have appeared while these were rebuilt.
      checkFree(files, outFolder);
      await moveIntoPlace(files, scratch, outFolder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return chain.files.map((file) => ({ file, written: holderOf(file, chain.files) !== undefined }));
  } finally {
    await chain.close();
  }
}

/**
 * The file whose decoded bytes are those of `file`: itself or, for an external file, another with its digest. Undefined
 * if the package does not hold the bytes.
 */
function holderOf(file: PackageFile, files: readonly PackageFile[]): PackageFile | undefined {
  if (file.content.type !== 'external') return file;
  return files.find(
    ({ content, sha256, sizeBytes }) =>
      content.type !== 'external' && sha256 === file.sha256 && sizeBytes === file.sizeBytes,
  );
}

interface FileToRebuild extends PackageFile {
  /** Path of the file that is decoded for this one. */
  readonly holder: string;
}

/** The packages in a file: one, or those of a merged package. */
async function identify(core: NativeCore, path: string): Promise<ChainedPackage[]> {
  const reader = await openPlainFile(path);
  try {
    const { packageIds, ancestorId } = await readStoredIndex(reader, core.crc32cSync);
    return packageIds.map((id, position) => ({
      id,
      ancestorId: position === 0 ? ancestorId : packageIds[position - 1],
      position,
      key: path,
      open: () => openPlainFile(path),
    }));
  } finally {
    await reader.close();
  }
}

/** From the requested package, or the newest, to its base. */
function orderChain(packages: readonly ChainedPackage[], wantedId: string | undefined): ChainedPackage[] {
  const byId = new Map(packages.map((entry) => [entry.id, entry]));
  const ancestors = new Set(packages.map(({ ancestorId }) => ancestorId));
  const newest = [...byId.values()].filter(({ id }) => (wantedId === undefined ? !ancestors.has(id) : id === wantedId));
  if (wantedId !== undefined && newest.length === 0)
    throw new FirnError('invalid-request', `None of the files holds the package ${wantedId}.`);
  if (newest.length !== 1 || byId.size !== packages.length) throw notOneChain();
  const chain: ChainedPackage[] = [];
  for (let next: ChainedPackage | undefined = newest[0]; next !== undefined;) {
    chain.push(next);
    const { ancestorId }: ChainedPackage = next;
    if (ancestorId === undefined) break;
    next = byId.get(ancestorId);
    if (next === undefined)
      throw new FirnError('invalid-request', `The package ${ancestorId} is missing: another one builds on it.`);
    // Packages may name each other in a circle.
    if (chain.length > packages.length) throw notOneChain();
  }
  const used = new Set(chain.map(({ key }) => key));
  if (packages.some(({ key }) => !used.has(key))) throw notOneChain();
  return chain;
}

function notOneChain(): FirnError {
  return new FirnError(
    'invalid-request',
    'The packages are not one chain: give one package and each of its ancestors once.',
  );
}

/**
 * Throws `invalid-request` for a name that file systems refuse and `conflict` for an existing path. The paths are
 * relative and without "..": the index decoder checks that.
 */
function checkFree(files: readonly PackageFile[], outFolder: string): void {
  for (const { path } of files) {
    if (existsSync(join(outFolder, checkNewFilePath(path))))
      throw new FirnError('conflict', `The file ${path} is there already.`);
    const taken = foldersOf(path).find(
      (folder) => statSync(join(outFolder, folder), { throwIfNoEntry: false })?.isDirectory() === false,
    );
    if (taken !== undefined)
      throw new FirnError(
        'conflict',
        `The file ${path} cannot be written: ${taken} is there already and is no folder.`,
      );
  }
}

/** Rebuilds every file under its number in `scratch`; rejects unless all digests match. */
async function rebuild(
  chain: PackageChain,
  files: readonly FileToRebuild[],
  scratch: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [number, file] of files.entries()) {
    const { sha256 } = await restoreToFile(chain.file(file.holder).passing(signal), join(scratch, String(number)));
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
