import type { DeviceScope, GptqPlace, HeldNames } from '../../../native/core.ts';
import type { BlockPlace, PlannedBlock } from '../../../package/blocks/block-plan.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';

/** A part of a block in one tensor. */
type Segment = PlannedBlock['segments'][number];

/**
 * Names under which a device holds a checkpoint's weights, the states they are coded against, and the factors of its
 * matrices. Weights belong to the checkpoint whatever they are coded against; a state belongs to one quantization, or
 * to the ancestor's package, of which the next checkpoint finds it again.
 */
export class DeviceNames {
  readonly #scope: DeviceScope;
  #quantizations = 0;
  readonly #factors = new Map<GptqPlace['factor'], number>();

  constructor(scope: DeviceScope) {
    this.#scope = scope;
  }

  /** Names for the blocks of one quantization against an ancestor. */
  against(ancestor: Ancestor | undefined): BlockNames {
    this.#quantizations += 1;
    const quantization = this.#quantizations;
    const stateOf = ({ file, index }: BlockPlace): string =>
      ancestor?.stateName(file, index) ?? this.#scope.name(`state/${quantization}/${file}/${index}`);
    const weightsOf = (file: number, segments: readonly Segment[]): string => {
      const parts = segments.map((part) => `${part.tensor},${part.firstElement},${part.elementCount}`);
      return this.#scope.name(`weights/${file}/${parts.join('/')}`);
    };
    return {
      block: (at) => ({ weights: weightsOf(at.file, at.block.segments), state: stateOf(at) }),
      segment: (at, number, factor) => ({
        weights: weightsOf(at.file, [at.block.segments[number]!]),
        state: at.block.segments.length === 1 ? stateOf(at) : `${stateOf(at)}/${number}`,
        factor: this.#factorOf(factor),
      }),
      factor: (factor) => this.#factorOf(factor),
    };
  }

  close(): void {
    this.#scope.close();
  }

  #factorOf(factor: GptqPlace['factor']): string {
    const number = this.#factors.get(factor) ?? this.#factors.size;
    this.#factors.set(factor, number);
    return this.#scope.name(`factor/${number}`);
  }
}

export interface BlockNames {
  block(at: BlockPlace): HeldNames;
  factor(factor: GptqPlace['factor']): string;
  /** Of one segment of a block, which is rounded along its inputs with this factor. */
  segment(at: BlockPlace, number: number, factor: GptqPlace['factor']): HeldNames & { readonly factor: string };
}
