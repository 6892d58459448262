import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import type { JointSymbols, NativeCore, ResidualChain } from '../../../native/core.ts';
import {
  blockOrigins,
  gatheredStartVersionMin,
  latticeElements,
  placedState,
  residualLink,
  type ResidualFile,
} from '../../../package/blocks/residual-block.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { MergedPackagePart } from '../../../package/package-index.ts';
import type { BlockDecoder, BlockWalk, WalkStep } from './block-decoder.ts';
import { gatheredElements } from './gathered-elements.ts';

/** Residual blocks: the native core decodes the whole chain of payloads in one call. */
export function residualDecoder(core: NativeCore): BlockDecoder {
  return {
    async decode(walk, signal) {
      if (walk.steps.length === 0) return walk.found!;
      return { kind: 'residual', state: await core.residualState(await residualWay(walk, signal), signal) };
    },
    async elements(decoded, { newest }, signal) {
      if (decoded.kind !== 'residual') throw corruptPackage('a block changed its kind');
      return latticeElements(core, decoded.state, residualFile(newest), newest.planned, signal);
    },
    /**
     * A block that several tensors share is decoded and cached, because readers come back to it for each tensor. A
     * large tensor is read once from start to end, so its blocks are not cached.
     */
    passing(walk, { signal, memory }) {
      const { coding, segments, elementCount } = walk.newest.planned;
      if (segments.length > 1 || walk.steps.length === 0 || coding.kind !== 'residual') return undefined;
      const { dtype } = coding;
      return residualWay(walk, signal).then((chain) =>
        core.residualElements(chain, dtype, { signal, into: memory?.take(elementCount * dtypeBytes[dtype]) }),
      );
    },
  };
}

/**
 * The chain of payloads to a residual block's state: from the cached state, or from what the block's first payload
 * starts from. Rejects as BlockDecoder does.
 */
export async function residualWay(
  { core, found, steps, newest }: BlockWalk,
  signal: AbortSignal | undefined,
): Promise<ResidualChain> {
  // The checkpoints of a merged package share one payload; read it with the first of them.
  const firsts = steps.map(({ part }, i) => i + (part?.position ?? 0));
  const payloads = await Promise.all(
    steps.map(async (step, i) => (firsts[i] === i ? step.payload(signal) : undefined)),
  );
  const start = found?.kind === 'residual' ? found.state : undefined;
  const links = steps.map((step, i) => {
    const { part } = step;
    return residualLink(residualFile(step), step.planned, {
      tables: steps[firsts[i]!]!.package.contextTables(),
      payload: payloads[firsts[i]!]!,
      starts: start === undefined && i === steps.length - 1,
      part: part && { jointSymbols: jointSymbolsOf(part), position: part.position },
    });
  });
  if (start !== undefined) return { links: links.reverse(), start };
  return { links: links.reverse(), start: await startOf(core, steps.at(-1) ?? newest, signal) };
}

/** What a block without a previous block starts from: the ancestor's elements, or the origins of its tensors. */
async function startOf(
  core: NativeCore,
  step: WalkStep,
  signal: AbortSignal | undefined,
): Promise<ResidualChain['start']> {
  const file = residualFile(step);
  const mayGather = step.package.index.formatVersion >= gatheredStartVersionMin;
  const elements = mayGather ? await gatheredElements(step, signal) : undefined;
  return elements === undefined
    ? blockOrigins(file, step.planned)
    : placedState(core, elements, { file, block: step.planned }, signal);
}

function residualFile({ package: owner, fileNumber }: WalkStep): ResidualFile {
  const file = owner.residualFile(fileNumber);
  if (file === undefined) throw corruptPackage('a residual block is in a file without residual tensors');
  return file;
}

function jointSymbolsOf({ mergedPackage: { jointSymbols } }: MergedPackagePart): JointSymbols {
  if (jointSymbols === undefined) throw corruptPackage('a residual block is in a merged package of another kind');
  return jointSymbols;
}
