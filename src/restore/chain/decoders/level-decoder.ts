import type { NativeCore } from '../../../native/core.ts';
import { decodeLevelBlock } from '../../../package/blocks/decode-block.ts';
import type { PlannedBlock } from '../../../package/blocks/block-plan.ts';
import { levelModulus } from '../../../package/blocks/match-blocks.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import { paddedTable } from '../../../package/index/codebook-record.ts';
import type { PackageCodebook } from '../../../package/package-index.ts';
import type { IndexedPackage } from '../indexed-package.ts';
import type { BlockDecoder, WalkStep } from './block-decoder.ts';
import type { DecodedBlock } from './decoded-block.ts';

/**
 * Blocks of levels. Each level is a difference to the ancestor's, and elements are looked up in the codebook. A block
 * refers to the previous one whenever there is one.
 */
export function levelDecoder(core: NativeCore): BlockDecoder {
  return {
    async decode({ found, steps }, signal) {
      if (steps.length === 0) return found!;
      const payloads = await Promise.all(steps.map((step) => step.payload(signal)));
      let decoded = found;
      for (let i = steps.length - 1; i >= 0; i--) decoded = await decodeStep(payloads[i]!, steps[i]!, decoded, signal);
      return decoded!;
    },
    async elements(decoded, { newest }, signal) {
      if (decoded.kind !== 'levels') throw corruptPackage('a block changed its kind');
      const codebook = codebookOf(newest.package, newest.planned);
      const { levels, protectedWords } = decoded.levels;
      return core.dequantize(
        levels,
        {
          dtype: codebook.dtype,
          table: paddedTable(codebook),
          levelCount: codebook.levelCount,
          protectedWords,
          ...(codebook.protectedLevel === undefined ? {} : { protectedLevel: codebook.protectedLevel }),
        },
        signal,
      );
    },
  };
}

async function decodeStep(
  payload: Uint8Array,
  step: WalkStep,
  before: DecodedBlock | undefined,
  signal: AbortSignal | undefined,
): Promise<DecodedBlock> {
  const { planned, previous, package: owner } = step;
  const codebook = codebookOf(owner, planned);
  const modulus = levelModulus(codebook, previous && codebookOf(step.packageBefore!, previous));
  const tables = owner.tables(codebook.tableSet);
  const levels = before?.kind === 'levels' ? before.levels.levels : undefined;
  return {
    kind: 'levels',
    levels: await decodeLevelBlock(
      payload,
      { tables, codebook, elementCount: planned.elementCount, modulus, previous: levels },
      signal,
    ),
  };
}

function codebookOf({ index }: IndexedPackage, { coding }: PlannedBlock): PackageCodebook {
  if (coding.kind !== 'levels') throw corruptPackage('a block changed its kind');
  return index.codebooks[coding.codebook]!;
}
