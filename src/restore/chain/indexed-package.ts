import type { ContextTables, NativeCore, TokenTables } from '../../native/core.ts';
import { placeCopies } from '../../package/blocks/copied-tensors.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import { TensorNames } from '../../package/blocks/gather-blocks.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import { planFile, type FilePlan } from '../../package/blocks/plan-file.ts';
import { slotCount, tensorSlots, type ResidualFile } from '../../package/blocks/residual-block.ts';

/** Rough heap cost of one parsed tensor, one block entry with its plan, and a token table per stored byte, in bytes. */
const tensorMemoryBytes = 400;
const blockMemoryBytes = 300;
const tableMemoryRatio = 64;

/**
 * A decoded index, with block plans and token tables that are derived on demand. Its users do not change it, so it can
 * be shared.
 */
export class IndexedPackage {
  readonly index: PackageIndex;
  readonly #core: NativeCore;
  readonly #plans: (FilePlan | undefined)[] = [];
  readonly #tables: TokenTables[] = [];
  readonly #residualFiles: (ResidualFile | undefined)[] = [];
  #contextTables: ContextTables | undefined;
  #tensorNames: TensorNames | undefined;
  /** The next checkpoint in the stored object `key`. */
  #next: { readonly package: IndexedPackage; readonly key: string } | undefined;

  constructor(core: NativeCore, index: PackageIndex) {
    this.#core = core;
    this.index = index;
  }

  /** The checkpoints of one stored object, oldest first. */
  static ofPackage(core: NativeCore, indexes: readonly PackageIndex[], key: string): IndexedPackage[] {
    const packages = indexes.map((index) => new IndexedPackage(core, index));
    for (const [i, each] of packages.entries()) each.#next = packages[i + 1] && { package: packages[i + 1]!, key };
    return packages;
  }

  /** The package after this one in the object `key`, if its id is `id`. */
  next(id: string, key: string): IndexedPackage | undefined {
    return this.#next?.package.index.id === id && this.#next.key === key ? this.#next.package : undefined;
  }

  /** Undefined for an external file. */
  plan(fileNumber: number): FilePlan | undefined {
    this.#plans[fileNumber] ??= this.#planned(fileNumber);
    return this.#plans[fileNumber];
  }

  /** For packages that build on this one. */
  get tensorNames(): TensorNames {
    this.#tensorNames ??= new TensorNames(this.index.files);
    return this.#tensorNames;
  }

  #planned(fileNumber: number): FilePlan | undefined {
    const file = this.index.files[fileNumber]!;
    const plan = planFile(file);
    const others = new Map<number, FilePlan>();
    const planOf = (other: number): FilePlan => {
      const known = others.get(other) ?? planFile(this.index.files[other]!)!;
      others.set(other, known);
      return known;
    };
    return plan && file.content.type === 'safetensors'
      ? // A copy's original is never a copy itself. So plan the files of originals without copies: they may refer
        // back to this file.
        placeCopies(plan, { codings: file.content.codings, file: fileNumber, planOf })
      : plan;
  }

  /** Throws `corrupt-package`. */
  tables(tableSet: number): TokenTables {
    this.#tables[tableSet] ??= this.#core.parseTokenTables(this.index.tableSets[tableSet]!);
    return this.#tables[tableSet];
  }

  /** Throws `corrupt-package`. */
  contextTables(): ContextTables {
    if (this.index.residual === undefined) throw corruptPackage('residual blocks have no context tables');
    this.#contextTables ??= this.#core.parseContextTables(this.index.residual.tables, {
      slots: slotCount(this.#residualTensorsBefore(this.index.files.length)),
    });
    return this.#contextTables;
  }

  /** Parameters common to the residual blocks of a file; undefined if it has none. */
  residualFile(fileNumber: number): ResidualFile | undefined {
    this.#residualFiles[fileNumber] ??= this.#residualFile(fileNumber);
    return this.#residualFiles[fileNumber];
  }

  #residualFile(fileNumber: number): ResidualFile | undefined {
    const content = this.index.files[fileNumber]?.content;
    if (this.index.residual === undefined || content?.type !== 'safetensors' || content.residuals === undefined)
      return undefined;
    const { layout, residuals } = content;
    return {
      layout,
      residuals,
      scales: this.index.residual.scales,
      slots: tensorSlots(residuals, this.#residualTensorsBefore(fileNumber)),
    };
  }

  #residualTensorsBefore(fileNumber: number): number {
    return this.index.files
      .slice(0, fileNumber)
      .reduce((count, { content }) => count + (content.type === 'safetensors' ? (content.residuals?.size ?? 0) : 0), 0);
  }

  /** Estimated bytes in memory, for cache bounds. */
  memoryBytes(): number {
    let bytes = 4096;
    for (const tables of this.index.tableSets) bytes += tables.length * tableMemoryRatio;
    bytes += (this.index.residual?.tables.length ?? 0) * tableMemoryRatio;
    for (const { content } of this.index.files) {
      bytes += 1024;
      if (content.type !== 'external') bytes += content.blocks.length * blockMemoryBytes;
      if (content.type === 'safetensors')
        bytes += content.layout.headerBytes.length + content.layout.tensors.length * tensorMemoryBytes;
    }
    return bytes;
  }
}
