import type { ContextCounts, ContextTables, LatticeBlock, LatticeSegment, LatticeState, LatticeSymbols, NativeCore } from '../native/core.ts';
import { contextSegments, latticeBlock, latticeElements, latticeSegments, latticeState, slotCount, type ResidualFile } from '../package/residual-block.ts';
import { gainMax, offsetUnits, unitGain, type ResidualTensor, type StepScales } from '../package/residual-tensor.ts';
import { effectiveRank } from '../graph/layer-type-of.ts';
import type { Ancestor } from './ancestor.ts';
import { forEachBounded } from './bounded-parallel.ts';
import { feedbackTargets, type Rounding } from './feedback-targets.ts';
import type { InputFeedback } from './input-feedback.ts';
import type { ModelSource } from './model-source.ts';
import { residualBlocks, type CodingPlan } from './plan-codings.ts';
import type { BlockPlace, FormEncoding, FormOptions, QuantizedForm } from './quantized-form.ts';
import type { ModelMoments } from './tensor-moments.ts';

export interface ResidualFormParts extends FormOptions {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  readonly records: readonly ReadonlyMap<number, ResidualTensor>[];
  readonly moments: ModelMoments;
  /** Absent where the inputs of no matrix were measured. */
  readonly feedback?: InputFeedback | undefined;
}

/** What is tried for a matrix until its error is inside {@link errorRatioMax}: errors handed on at their full share first. */
const roundings: readonly Rounding[] = [
  { strength: 1, deadZone: 156 },
  { strength: 0.6, deadZone: 152 },
  { strength: 0.3, deadZone: 142 },
  { strength: 0, deadZone: 128 },
];
/** A weight stays while it is within this many 1/256 of a step: just under what makes its squared error 1.5 times that of rounding. */
const deadZones = [156, 142, 128];
/** Weights of a base are seldom near zero steps; a wide zone costs more error there than it gives. Measured: 2 % fewer bytes than 156. */
const baseDeadZone = 140;
/** Most weighted squared error of a tensor, in that of quantizing it afresh with the same step. */
const errorRatioMax = 1.5;
/** Fewest moved weights of a tensor that its reconstruction offsets are measured on. */
const movedMin = 9;
/** A gain this near to the ancestor's, in 1/1024, is the ancestor's: it would cost more than it gives. */
const gainTolerance = 3;
/** Gains that are believed: beyond, a tensor has changed more than its step can follow. */
const gainCodes = { min: 51, max: 512 };

/** One checkpoint under one step: every residual tensor's record, and what its blocks would take. */
export class ResidualForm implements QuantizedForm {
  /** Of the quantized part, tables included. */
  readonly bytes: number;
  private readonly parts: ResidualFormParts;
  private readonly scales: StepScales;
  private readonly files: readonly (ResidualFile | undefined)[];
  private readonly rule: RoundingRule;
  private readonly built: BuiltForm;

  constructor(parts: ResidualFormParts, built: BuiltForm) {
    this.parts = parts;
    this.scales = built.scales;
    this.files = built.files;
    this.rule = built.rule;
    this.built = built;
    this.bytes = built.tables.totalBits() / 8;
  }

  async elements(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
    const { state } = await moved(this.parts, this.files[at.file]!, at, this.rule, signal);
    return latticeElements(this.parts.core, state, this.files[at.file]!, at.block, signal);
  }

  async encoding(ancestor: Ancestor | undefined, { external = new Set() }: FormOptions): Promise<FormEncoding> {
    if (ancestor?.index.id !== this.parts.ancestor?.index.id && this.parts.ancestor !== undefined)
      throw new TypeError('a residual form is stored against the ancestor it was made with');
    const { files, tables, migration } = await this.without(external);
    return {
      formatVersion: 2,
      ancestor: this.parts.ancestor,
      migration,
      codebooks: [],
      tableSets: [],
      ...(files.some((file) => file !== undefined) && { residual: { tables: tables.serialize(), scales: this.scales } }),
      residualTensors: files.map((file) => file?.residuals ?? new Map<number, ResidualTensor>()),
      payload: async (at, signal) => {
        const file = files[at.file]!;
        const { moves, contexts } = await moved(this.parts, file, at, this.rule, signal);
        return tables.encode({ ...moves, contexts, segments: contextSegments(file, at.block) }, signal);
      },
    };
  }

  /** The files that a package holds: tensors of the others have no slots in its tables. */
  private async without(external: ReadonlySet<number>): Promise<Pick<BuiltForm, 'files' | 'tables' | 'migration'>> {
    if (this.files.every((file, number) => file === undefined || !external.has(number))) return this.built;
    const files = numbered(this.files.map((file, number) => (external.has(number) ? undefined : file)));
    return { files, ...(await counted(this.parts, files, this.rule)) };
  }
}

interface BuiltForm {
  readonly scales: StepScales;
  readonly files: readonly (ResidualFile | undefined)[];
  readonly tables: ContextTables;
  readonly rule: RoundingRule;
  readonly migration: number | undefined;
}

/** How the tensors of a form are rounded: the dead zone of those without feedback, and by file, by tensor, the entry of {@link roundings} of the others. */
interface RoundingRule {
  readonly deadZone: number;
  readonly levels: readonly ReadonlyMap<number, number>[];
}

/**
 * Quantizes a checkpoint with a common step, in 1/32 octaves: a pass for reconstruction offsets and gains, a second one for symbol statistics and
 * errors. Where a tensor's error is too far above that of quantizing it afresh, its weights move sooner and hand on less.
 */
export async function buildResidualForm(parts: ResidualFormParts, step: number): Promise<ResidualForm> {
  // Vectors are few, and more depends on each: their steps only ever shrink with the others.
  const scales = { matrices: step, vectors: Math.min(0, step) };
  let zone = 0;
  let levels: readonly Map<number, number>[] = parts.source.files.map(() => new Map<number, number>());
  for (;;) {
    const rule = { deadZone: deadZones[zone]!, levels };
    const files = await fitted(parts, residualFiles(parts, parts.records, scales), rule);
    const { tables, migration, beyond } = await counted(parts, files, rule);
    const movable = beyond.filter(({ file, tensor }) => parts.feedback?.[file]?.has(tensor) && (levels[file]!.get(tensor) ?? 0) + 1 < roundings.length);
    const plain = beyond.some(({ file, tensor }) => !parts.feedback?.[file]?.has(tensor));
    if (movable.length === 0 && !(plain && zone + 1 < deadZones.length)) return new ResidualForm(parts, { scales, files, tables, rule, migration });
    if (plain) zone = Math.min(zone + 1, deadZones.length - 1);
    levels = levels.map((level) => new Map(level));
    for (const { file, tensor } of movable) levels[file]!.set(tensor, (levels[file]!.get(tensor) ?? 0) + 1);
  }
}

function residualFiles(parts: ResidualFormParts, records: readonly ReadonlyMap<number, ResidualTensor>[], scales: StepScales): (ResidualFile | undefined)[] {
  return numbered(
    parts.source.files.map(({ layout }, number) => {
      const residuals = records[number]!;
      return residuals.size === 0 ? undefined : { layout, residuals, scales, firstSlot: 0 };
    }),
  );
}

/** Files with the slots that their tensors have in a package of just these. */
function numbered(files: readonly (ResidualFile | undefined)[]): (ResidualFile | undefined)[] {
  let firstSlot = 0;
  return files.map((file) => {
    if (file === undefined) return undefined;
    const placed = { ...file, firstSlot };
    firstSlot += file.residuals.size;
    return placed;
  });
}

/** Sums of latticeQuantize over the blocks of one tensor. */
type TensorSums = BigInt64Array;
const sums = { counts: 0, residuals: 3, squares: 6, products: 7, signed: 8, length: 11 } as const;

/** Records with the offsets and gains that this checkpoint's weights ask for. */
async function fitted(parts: ResidualFormParts, files: readonly (ResidualFile | undefined)[], rule: RoundingRule): Promise<(ResidualFile | undefined)[]> {
  const totals = files.map(() => new Map<number, TensorSums>());
  await forEachBounded(residualBlocks(parts.plan), parts.parallel, async (at) => {
    if (at.block.segments.every(({ tensor }) => hasFeedback(parts, at.file, tensor))) return;
    const { moves } = await quantized(parts, files[at.file]!, at, rule, parts.signal);
    for (const [s, { tensor }] of at.block.segments.entries()) {
      const total = totals[at.file]!.get(tensor) ?? new BigInt64Array(sums.length);
      for (let i = 0; i < sums.length; i += 1) total[i] = total[i]! + moves.statistics[s * sums.length + i]!;
      totals[at.file]!.set(tensor, total);
    }
  });
  return files.map((file, number) => {
    if (file === undefined) return undefined;
    const residuals = new Map(
      [...file.residuals].map(([tensor, record]) => {
        // What a weight's error is made up for with must be what it is rebuilt to.
        if (hasFeedback(parts, number, tensor)) return [tensor, { ...record, offsets: [0, 0], gain: unitGain }] as const;
        const entry = file.layout.tensors[tensor]!;
        const segment = latticeSegments(file, {
          coding: { kind: 'residual', dtype: 'F32' },
          elementCount: 1,
          segments: [{ tensor, firstElement: 0, elementCount: 1 }],
        })[0]!;
        const known = parts.ancestor?.residualTensor(number, entry.name);
        return [tensor, fit(record, segment, totals[number]!.get(tensor)!, { isMatrix: effectiveRank(entry.shape) > 1, known })] as const;
      }),
    );
    return { ...file, residuals };
  });
}

function fit(
  record: ResidualTensor,
  { step }: LatticeSegment,
  total: TensorSums,
  { isMatrix, known }: { readonly isMatrix: boolean; readonly known: ResidualTensor | undefined },
): ResidualTensor {
  const offset = (first: number, last: number): number => {
    const count = Number(total.subarray(sums.counts + first, sums.counts + last).reduce((a, b) => a + b, 0n));
    const beyond = Number(total.subarray(sums.residuals + first, sums.residuals + last).reduce((a, b) => a + b, 0n));
    return count < movedMin ? 0 : Math.max(-8, Math.min(7, Math.round((-16 * beyond) / (count * step))));
  };
  const offsets = [offset(0, 1), offset(1, 3)] as const;
  if (!isMatrix) return { ...record, offsets };
  const units = offsets.map((code) => BigInt(offsetUnits(code, step)));
  const signed = (index: number): bigint => total[sums.signed + index]!;
  const products = total[sums.products]! - units[0]! * signed(0) - units[1]! * (signed(1) + signed(2));
  const gain = products <= 0n ? record.gain : Number((1024n * total[sums.squares]!) / products) - 768;
  const kept = known !== undefined && Math.abs(gain - known.gain) <= gainTolerance ? known.gain : gain;
  return { ...record, offsets, gain: Math.max(0, Math.min(gainMax, Math.max(gainCodes.min, Math.min(gainCodes.max, kept)))) };
}

interface Quantized {
  readonly lattice: Required<LatticeBlock>;
  readonly previous: LatticeState | undefined;
  readonly moves: LatticeSymbols;
}

function hasFeedback({ feedback }: ResidualFormParts, file: number, tensor: number): boolean {
  return feedback?.[file]?.has(tensor) ?? false;
}

async function quantized(
  parts: ResidualFormParts,
  file: ResidualFile,
  at: BlockPlace,
  { deadZone, levels }: RoundingRule,
  signal?: AbortSignal,
): Promise<Quantized> {
  const { source, core, ancestor, feedback } = parts;
  const previous = await ancestor?.residual(at.file, at.index, signal);
  const lattice = latticeBlock(file, at.block, previous);
  const { weights, weightDtype: dtype } = await source.readWeights(at.file, at.block, signal);
  if (!at.block.segments.some(({ tensor }) => hasFeedback(parts, at.file, tensor)))
    return { lattice, previous, moves: await core.latticeQuantize({ weights, dtype, ...lattice, deadZone }, signal) };
  const roundingOf = (tensor: number): Rounding => {
    const rounding = roundings[levels[at.file]!.get(tensor) ?? 0]!;
    return ancestor === undefined ? { ...rounding, deadZone: Math.min(rounding.deadZone, baseDeadZone) } : rounding;
  };
  const targets = await feedbackTargets(core, { block: at.block, lattice, weights, dtype, places: feedback![at.file]!, roundingOf }, signal);
  return { lattice, previous, moves: await core.latticeQuantize({ weights: targets, dtype: 'F32', ...lattice, deadZone }, signal) };
}

async function moved(parts: ResidualFormParts, file: ResidualFile, at: BlockPlace, rule: RoundingRule, signal?: AbortSignal) {
  const { lattice, previous, moves } = await quantized(parts, file, at, rule, signal);
  const { core } = parts;
  const [contexts, state] = await Promise.all([core.latticeContexts(lattice, signal), latticeState(core, moves, lattice, previous === undefined, signal)]);
  return { segments: lattice.segments, previous, moves, contexts, state };
}

/** Tables for all blocks, the share of weights that moved, and the tensors whose error is beyond {@link errorRatioMax}. */
async function counted(
  parts: ResidualFormParts,
  files: readonly (ResidualFile | undefined)[],
  rule: RoundingRule,
): Promise<{ tables: ContextTables; migration: number | undefined; beyond: readonly { file: number; tensor: number }[] }> {
  const { core, parallel, signal } = parts;
  const counts: ContextCounts = core.createContextCounts();
  const errors = files.map(() => new Map<number, { error: bigint; fresh: bigint }>());
  let compared = 0;
  let changed = 0;
  await forEachBounded(residualBlocks(parts.plan), parallel, async (at) => {
    const file = files[at.file];
    if (file === undefined) return;
    const { segments, previous, moves, contexts, state } = await moved(parts, file, at, rule, signal);
    await counts.add({ ...moves, contexts, segments: contextSegments(file, at.block) }, signal);
    if (previous !== undefined) {
      compared += moves.symbols.length;
      for (const symbol of moves.symbols) changed += Number(symbol !== 0);
    }
    const pair = await parts.source.readWeights(at.file, at.block, signal);
    const gradientScales = Float32Array.from(at.block.segments, ({ tensor }) => gradientScale(parts, at.file, tensor));
    const found = await core.latticeErrors({ ...pair, gradientScales }, state.values, segments, signal);
    for (const [s, { tensor }] of at.block.segments.entries()) {
      const before = errors[at.file]!.get(tensor) ?? { error: 0n, fresh: 0n };
      errors[at.file]!.set(tensor, { error: before.error + found[s]!.error, fresh: before.fresh + found[s]!.fresh });
    }
  });
  const slots = files.reduce((total, file) => total + (file?.residuals.size ?? 0), 0);
  const beyond = errors.flatMap((byTensor, file) =>
    [...byTensor].filter(([, { error, fresh }]) => 1000n * error > BigInt(1000 * errorRatioMax) * fresh && fresh > 0n).map(([tensor]) => ({ file, tensor })),
  );
  return {
    tables: await counts.build({ slots: slotCount(slots) }, signal),
    migration: compared === 0 ? undefined : changed / compared,
    beyond,
  };
}

/** A gradient of the tensor's root mean square has weight 256. */
function gradientScale({ moments }: ResidualFormParts, file: number, tensor: number): number {
  const { gradientSumOfSquares, elementCount } = moments[file]!.get(tensor)!;
  return gradientSumOfSquares > 0 ? 16 / Math.sqrt(gradientSumOfSquares / elementCount) : 0;
}
