import type { NativeCore, TokenTables } from '../native/core.ts';
import type { PackageIndex } from '../package/package-index.ts';
import { planFile, type FilePlan } from '../package/plan-file.ts';

/** Rough heap cost of one parsed tensor, one block entry with its plan, and a token table per stored byte, in bytes. */
const tensorMemoryBytes = 400;
const blockMemoryBytes = 300;
const tableMemoryRatio = 64;

/** A decoded index with what is derived from it on demand: block plans and token tables. Immutable to its users; safe to share. */
export class IndexedPackage {
  readonly index: PackageIndex;
  readonly #core: NativeCore;
  readonly #plans: (FilePlan | undefined)[] = [];
  readonly #tables: TokenTables[] = [];

  constructor(core: NativeCore, index: PackageIndex) {
    this.#core = core;
    this.index = index;
  }

  /** Undefined for an external file. */
  plan(fileNumber: number): FilePlan | undefined {
    this.#plans[fileNumber] ??= planFile(this.index.files[fileNumber]!);
    return this.#plans[fileNumber];
  }

  /** Throws `corrupt-package`. */
  tables(tableSet: number): TokenTables {
    this.#tables[tableSet] ??= this.#core.parseTokenTables(this.index.tableSets[tableSet]!);
    return this.#tables[tableSet];
  }

  /** What holding this takes, for cache bounds. */
  memoryBytes(): number {
    let bytes = 4096;
    for (const tables of this.index.tableSets) bytes += tables.length * tableMemoryRatio;
    for (const { content } of this.index.files) {
      bytes += 1024;
      if (content.type !== 'external') bytes += content.blocks.length * blockMemoryBytes;
      if (content.type === 'safetensors') bytes += content.layout.headerBytes.length + content.layout.tensors.length * tensorMemoryBytes;
    }
    return bytes;
  }
}
