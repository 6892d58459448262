import { dtypeBytes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { isNotSafetensors } from '../../checkpoint/safetensors/is-not-safetensors.ts';
import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { NativeCore } from '../../native/core.ts';
import { planTensors, type FilePlan } from '../../package/blocks/plan-file.ts';
import type { ObjectReader } from '../../store/object-store.ts';
import { readSafetensorsLayout } from '../../store/reads/read-safetensors-layout.ts';
import { dtypeView } from './dtype-view.ts';
import { planRange } from './plan-range.ts';
import { streamRange } from './stream-range.ts';

/** A safetensors file stored as a raw object. It offers tensors and dtype views like a restored file. */
export class RawSafetensorsFile {
  readonly layout: SafetensorsLayout;
  readonly #core: NativeCore;
  readonly #reader: ObjectReader;
  /** Block plan of the object's own layout. */
  readonly #plan: FilePlan;
  readonly #target: QuantizableDtype | undefined;

  private constructor(reader: ObjectReader, core: NativeCore, plan: FilePlan, target: QuantizableDtype | undefined) {
    this.#core = core;
    this.#reader = reader;
    this.#plan = plan;
    this.#target = target;
    this.layout = target === undefined ? plan.layout : dtypeView(plan.layout, target);
  }

  /**
   * Reads the header. With `target` the floating point tensors are converted. Rejects with `invalid-request` when the
   * object is not safetensors, and with the store's errors. The caller closes the reader.
   */
  static async open(reader: ObjectReader, core: NativeCore, target?: QuantizableDtype): Promise<RawSafetensorsFile> {
    const layout = await readSafetensorsLayout(reader).catch((error: unknown) => {
      throw isNotSafetensors(error)
        ? new FirnError('invalid-request', 'The file is not safetensors: it has no tensors and no views.', {
            cause: error,
          })
        : error;
    });
    return new RawSafetensorsFile(
      reader,
      core,
      planTensors(
        layout,
        layout.tensors.map(() => ({ kind: 'exact', layerType: 'buffer' })),
      ),
      target,
    );
  }

  get sizeBytes(): number {
    return this.layout.sizeBytes;
  }

  /** Like `RestoredFile.stream`. */
  stream(startBytes = 0, endBytes = this.sizeBytes, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const range = planRange(this.layout, this.#plan, startBytes, endBytes);
    return streamRange(
      { headerBytes: this.layout.headerBytes, elements: (block, aborted) => this.#elements(block, aborted) },
      range,
      { signal },
    );
  }

  /** Like `RestoredFile.tensor`. Throws `not-found`. */
  tensor(name: string): TensorEntry {
    const entry = this.layout.tensors.find((tensor) => tensor.name === name);
    if (entry === undefined) throw new FirnError('not-found', 'The file has no tensor of this name.');
    return entry;
  }

  async #elements(number: number, signal: AbortSignal): Promise<Uint8Array> {
    const { segments } = this.#plan.blocks[number]!;
    const { tensors } = this.#plan.layout;
    const parts = await Promise.all(
      segments.map(({ tensor, firstElement, elementCount }) => {
        const { startBytes, dtype } = tensors[tensor]!;
        return this.#reader.read(
          startBytes + firstElement * dtypeBytes[dtype],
          elementCount * dtypeBytes[dtype],
          signal,
        );
      }),
    );
    const elements = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    // An exact block holds tensors of one element kind, and each floating dtype is a kind of its own, so one conversion
    // serves the block.
    const { dtype } = tensors[segments[0]!.tensor]!;
    return this.#target === undefined || !isQuantizable(dtype) || dtype === this.#target
      ? elements
      : this.#core.convert(elements, dtype, this.#target, signal);
  }
}
