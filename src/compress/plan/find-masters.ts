import { dtypeBytes, halfDtypes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { defaultStateOptions, type StateOptions } from '../../checkpoint/options/state-options.ts';
import { stateTensorOf } from '../../checkpoint/options/state-role.ts';
import type { NativeCore } from '../../native/core.ts';
import { codingBehind } from '../../package/blocks/copied-tensors.ts';
import type { TensorCoding, TensorPlace } from '../../package/package-index.ts';
import { placeKey } from '../../package/tensor-place.ts';
import { planTensors } from '../../package/blocks/plan-file.ts';
import type { SourceFile } from '../upload/model-source.ts';
import type { CodingPlan, PlannedFile } from './plan-codings.ts';

/** Below this size in bytes, a tensor takes less than a reference to another one. */
const masterBytesMin = 4096;
/** A tensor counts as rounded from another if this many elements, half at its start and half in its middle, are. */
const sampleElements = 256;
/** Elements compared at a time. */
const pieceElements = 256 * 1024;

export interface MastersToFind {
  readonly files: readonly SourceFile[];
  readonly plan: CodingPlan;
  readonly state?: StateOptions | undefined;
  readonly core: NativeCore;
  readonly warn: (sentence: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the plan without the redundancy of mixed precision. F32 tensors of optimizer files become masters of the F16
 * or BF16 tensors that were rounded from them, if both are exact. If the run gives masters up for the model's weights
 * (`state.master`), they become widened copies of these. Reads a sample of every F32 tensor of an optimizer file, and
 * the whole of those given up. A tensor that its weights were not rounded from stays exact, with a warning. Rejects
 * with the errors of store and core.
 */
export async function planMasters(request: MastersToFind): Promise<CodingPlan> {
  const found = await findOriginals(request);
  const { plan, files } = request;
  if (found.size === 0) return plan;
  const codingOf = (file: number, tensor: number): TensorCoding => {
    const coding = plan.files[file]!.codings[tensor]!;
    // A copy of a tensor that is now a copy itself gets the same original.
    const behind = coding.kind === 'copy' ? found.get(placeKey(coding)) : undefined;
    return found.get(placeKey({ file, tensor })) ?? (behind?.kind === 'copy' ? behind : coding);
  };
  const planned = plan.files.map(({ codings }, file): PlannedFile => {
    const changed = codings.map((_, tensor) => codingOf(file, tensor));
    return { codings: changed, blocks: planTensors(files[file]!.layout, changed).blocks };
  });
  return { ...plan, files: planned };
}

type MasterCoding = Extract<TensorCoding, { readonly kind: 'exact' | 'copy' }>;

/** By tensor: its coding relative to its original. */
async function findOriginals(request: MastersToFind): Promise<ReadonlyMap<string, MasterCoding>> {
  const { files, plan, state = defaultStateOptions, warn } = request;
  const found = new Map<string, MasterCoding>();
  const originals = await Originals.read(request);
  for (const [file, { layout }] of files.entries()) {
    for (const [tensor, entry] of layout.tensors.entries()) {
      if (!isCandidate(request, { file, tensor })) continue;
      const master = { file, tensor };
      const given = state.master === 'weights' && isMaster(entry.name, state, originals);
      const original = (given ? originals.named(entry, state) : undefined) ?? (await originals.roundedFrom(master));
      if (given && original !== undefined && (await isRoundedFrom(request, master, original))) {
        // Equal exact tensors are copies already, or originals of copies.
        if (!isEqualAsItIs(request, original))
          found.set(placeKey(master), { kind: 'copy', ...original, widened: true });
        continue;
      }
      if (given) warn(`${entry.name} is no copy of the model's weights, so it is kept exact.`);
      if (original === undefined || plan.files[original.file]!.codings[original.tensor]!.kind !== 'exact') continue;
      if (files[original.file]!.layout.tensors[original.tensor]!.dtype !== 'F32')
        found.set(placeKey(master), { kind: 'exact', layerType: 'buffer', modelWeights: original });
    }
  }
  return found;
}

function isCandidate({ files, plan }: MastersToFind, { file, tensor }: TensorPlace): boolean {
  const { role, type, layout } = files[file]!;
  const entry = layout.tensors[tensor]!;
  const isLarge = entry.endBytes - entry.startBytes >= masterBytesMin;
  return (
    role === 'optimizer' &&
    type === 'safetensors' &&
    entry.dtype === 'F32' &&
    isLarge &&
    plan.files[file]!.codings[tensor]!.kind === 'exact'
  );
}

/**
 * Whether the name of an optimizer tensor marks a master: by a word, or because a tensor of the model has the same
 * name.
 */
function isMaster(name: string, state: StateOptions, originals: Originals): boolean {
  const said = stateTensorOf(name, { names: state.names, model: originals });
  return said === undefined ? originals.has(name) : said.role === 'master';
}

function isEqualAsItIs({ files, plan }: MastersToFind, { file, tensor }: TensorPlace): boolean {
  return files[file]!.layout.tensors[tensor]!.dtype === 'F32' && plan.files[file]!.codings[tensor]!.kind === 'exact';
}

/** Tensors of model files that could be rounded from masters. Copies are represented by their originals. */
class Originals {
  readonly #request: MastersToFind;
  readonly #byName = new Map<string, TensorPlace>();
  readonly #bySample = new Map<string, TensorPlace>();

  private constructor(request: MastersToFind) {
    this.#request = request;
  }

  static async read(request: MastersToFind): Promise<Originals> {
    const originals = new Originals(request);
    const { files, plan } = request;
    if (
      !files.some((_, file) => files[file]!.layout.tensors.some((_, tensor) => isCandidate(request, { file, tensor })))
    )
      return originals;
    for (const [file, { role, type, layout }] of files.entries()) {
      if (role !== 'model' || type !== 'safetensors') continue;
      for (const [tensor, entry] of layout.tensors.entries()) {
        if (!isQuantizable(entry.dtype) || entry.elementCount * dtypeBytes.F32 < masterBytesMin) continue;
        const coding = plan.files[file]!.codings[tensor]!;
        if (codingBehind(coding, (number) => plan.files[number]!.codings).kind === 'state') continue;
        const place = coding.kind === 'copy' ? { file: coding.file, tensor: coding.tensor } : { file, tensor };
        originals.#byName.set(entry.name, place);
        const sample = await originals.#sampleOf({ file, tensor }, entry.dtype);
        if (sample !== undefined && !originals.#bySample.has(sample)) originals.#bySample.set(sample, place);
      }
    }
    return originals;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** The tensor of the parameter that a master's name states, if it has the same shape. */
  named({ name, shape }: TensorEntry, state: StateOptions): TensorPlace | undefined {
    const place = this.#byName.get(stateTensorOf(name, { names: state.names, model: this })?.parameter ?? name);
    const there = place && this.#request.files[place.file]!.layout.tensors[place.tensor]!;
    return there?.shape.join(' ') === shape.join(' ') ? place : undefined;
  }

  /** A tensor with as many elements, and a sample that is rounded from the master's. */
  async roundedFrom(master: TensorPlace): Promise<TensorPlace | undefined> {
    for (const dtype of [...halfDtypes, 'F32'] as const) {
      const sample = await this.#sampleOf(master, dtype);
      const original = sample === undefined ? undefined : this.#bySample.get(sample);
      if (original !== undefined && placeKey(original) !== placeKey(master)) return original;
    }
    return undefined;
  }

  /** The sample of a tensor, converted to `dtype`; undefined if it seems to repeat one element. */
  async #sampleOf({ file, tensor }: TensorPlace, dtype: QuantizableDtype): Promise<string | undefined> {
    const { reader, layout } = this.#request.files[file]!;
    const entry = layout.tensors[tensor]!;
    if (!isQuantizable(entry.dtype)) return undefined;
    const width = dtypeBytes[entry.dtype];
    const length = Math.min(sampleElements, entry.elementCount) * width;
    const middle = Math.floor((entry.elementCount - length / width) / 2) * width;
    const parts = await Promise.all(
      [0, middle].map((at) => reader.read(entry.startBytes + at, length, this.#request.signal)),
    );
    const sample = Buffer.from(
      await this.#request.core.convert(Buffer.concat(parts), entry.dtype, dtype, this.#request.signal),
    );
    const first = sample.subarray(0, dtypeBytes[dtype]);
    return sample.every((byte, i) => byte === first[i % first.length])
      ? undefined
      : `${dtype} ${entry.elementCount} ${sample.toString('base64')}`;
  }
}

/** Whether every element of a tensor is rounded from the master's F32 element, or equal to it. */
async function isRoundedFrom(
  { files, core, signal }: MastersToFind,
  master: TensorPlace,
  original: TensorPlace,
): Promise<boolean> {
  const [wide, narrow] = [master, original].map(({ file, tensor }) => ({
    reader: files[file]!.reader,
    entry: files[file]!.layout.tensors[tensor]!,
  }));
  const dtype = narrow!.entry.dtype;
  if (!isQuantizable(dtype)) return false;
  const read = ({ reader, entry }: typeof wide & {}, at: number, count: number): Promise<Uint8Array> =>
    reader.read(entry.startBytes + at * dtypeBytes[entry.dtype], count * dtypeBytes[entry.dtype], signal);
  for (let at = 0; at < wide!.entry.elementCount; at += pieceElements) {
    const count = Math.min(pieceElements, wide!.entry.elementCount - at);
    const [uploaded, reference] = await Promise.all([read(wide!, at, count), read(narrow!, at, count)]);
    const expected = dtype === 'F32' ? uploaded : await core.convert(uploaded, 'F32', dtype, signal);
    if (Buffer.compare(expected, reference) !== 0) return false;
  }
  return true;
}
