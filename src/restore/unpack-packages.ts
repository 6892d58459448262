import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirnError } from '../checkpoint/firn-error.ts';
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
 * Rebuilds the files of the newest of some packages with nothing but the packages. Each file appears under its path once its digest is right.
 * Rejects with `invalid-request` (not one whole chain), `not-found`, `conflict` (a file is there already), `corrupt-package`, `unsupported-format`.
 */
export async function unpackPackages({ core, packagePaths, outFolder, signal }: UnpackRequest): Promise<UnpackedFile[]> {
  const packages = orderChain(await Promise.all(packagePaths.map((path) => identify(core, path))));
  const nothingKept = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<never>(0) };
  const chain = await PackageChain.open(nothingKept, packages, signal);
  try {
    const unpacked: UnpackedFile[] = [];
    for (const file of chain.files) unpacked.push({ file, written: await unpackFile(chain, file, outFolder, signal) });
    return unpacked;
  } finally {
    await chain.close();
  }
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

async function unpackFile(chain: PackageChain, file: PackageFile, outFolder: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (file.content.type === 'external') return false;
  // The path was checked when the index was decoded: relative, without "..".
  const path = join(outFolder, file.path);
  if (existsSync(path)) throw new FirnError('conflict', `The file ${file.path} is there already.`);
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const { sha256 } = await restoreToFile(chain.file(file.path).stream(0, undefined, signal), partial);
  if (sha256 !== file.sha256) {
    await rm(partial, { force: true });
    throw corruptPackage(`${file.path} has digest ${sha256} instead of ${file.sha256}`);
  }
  await rename(partial, path);
  return true;
}
