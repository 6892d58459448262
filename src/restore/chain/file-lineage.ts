import { FirnError } from '../../checkpoint/firn-error.ts';
import { gatherBlock, gatheringVersionMin, mayGather, type GatheredPart } from '../../package/blocks/gather-blocks.ts';
import { matchBlocks } from '../../package/blocks/match-blocks.ts';
import { namesakesVersionMin } from '../../package/blocks/namesakes.ts';
import type { Namesakes } from '../../package/tensor-place.ts';
import type { BlockEntry, PackageFile } from '../../package/package-index.ts';
import type { FilePlan } from '../../package/blocks/plan-file.ts';
import type { IndexedPackage } from './indexed-package.ts';
import type { PackageBytes } from './package-bytes.ts';

/** One file in one package of a chain. */
export interface LineageStep {
  readonly package: IndexedPackage;
  readonly bytes: PackageBytes;
  readonly fileNumber: number;
  readonly plan: FilePlan;
  readonly entries: readonly BlockEntry[];
}

/** A file and its earlier forms along a chain, as far back as its blocks can refer to them. Steps are newest first. */
export class FileLineage {
  readonly steps: readonly LineageStep[];
  readonly #packages: readonly IndexedPackage[];
  readonly #matches: (Int32Array | undefined)[] = [];

  /** Throws `not-found` if the newest package does not have the file or its bytes. */
  constructor(links: readonly { readonly package: IndexedPackage; readonly bytes: PackageBytes }[], path: string) {
    this.#packages = links.map((link) => link.package);
    const steps: LineageStep[] = [];
    for (const link of links) {
      const fileNumber = link.package.index.files.findIndex((file) => file.path === path);
      const content = link.package.index.files[fileNumber]?.content;
      const plan = content === undefined ? undefined : link.package.plan(fileNumber);
      if (content === undefined || content.type === 'external' || plan === undefined) break;
      const newer = steps.at(-1);
      if (newer !== undefined && newer.package.index.files[newer.fileNumber]!.content.type !== content.type) break;
      steps.push({ ...link, fileNumber, plan, entries: content.blocks });
    }
    if (steps.length === 0)
      throw new FirnError('not-found', 'The package does not hold the bytes of this file.', { detail: path });
    this.steps = steps;
  }

  /** The block of step `step + 1` that a block of step `step` refers to, or -1. */
  previousBlock(step: number, block: number): number {
    const [file, ancestor] = [this.steps[step]!, this.steps[step + 1]];
    if (ancestor === undefined) return -1;
    const planned = ({ plan, fileNumber, package: { index } }: LineageStep) => ({
      ...{ plan, codebooks: index.codebooks, number: fileNumber },
      namesakes: namesakesOf(index.files[fileNumber]!),
    });
    this.#matches[step] ??= matchBlocks(planned(ancestor), planned(file));
    return this.#matches[step][block]!;
  }

  /**
   * The parts of package `step + 1` that hold the ancestor's elements of an exact or residual block without a previous
   * block; undefined if there are none.
   */
  gathered(step: number, block: number): GatheredPart[] | undefined {
    const { package: owner, fileNumber, plan } = this.steps[step]!;
    const file = owner.index.files[fileNumber]!;
    const ancestors = this.#packages.slice(step + 1);
    const { formatVersion } = owner.index;
    const gathers = formatVersion >= gatheringVersionMin && mayGather(ancestors.map(({ index }) => index));
    if (!gathers || file.content.type !== 'safetensors') return undefined;
    const ancestor = ancestors[0]!;
    return gatherBlock(
      plan.blocks[block]!,
      {
        ...{ path: file.path, plan, namesakes: namesakesOf(file) },
        rowsMayDiffer: formatVersion >= namesakesVersionMin,
      },
      { names: ancestor.tensorNames, planOf: (file) => ancestor.plan(file)! },
    );
  }
}

function namesakesOf({ content }: PackageFile): Namesakes | undefined {
  return content.type === 'safetensors' ? content.namesakes : undefined;
}
