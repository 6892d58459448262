import { DeviceLossError } from '../../../native/check/native-status.ts';
import type { DeviceScope, GptqPlace, HeldNames } from '../../../native/core.ts';
import type { BlockPlace, PlannedBlock } from '../../../package/blocks/block-plan.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { stateNames, type StoredPackage } from '../../ancestor/state-names.ts';

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
  #encodings = 0;
  readonly #factors = new Map<GptqPlace['factor'], number>();
  /** Names of weights that were sent. The device may have let go of them. */
  readonly #sent = new Set<string>();

  constructor(scope: DeviceScope) {
    this.#scope = scope;
  }

  /** Names for the blocks of one quantization against an ancestor. */
  against(ancestor: Ancestor | undefined): BlockNames {
    this.#quantizations += 1;
    const quantization = this.#quantizations;
    const stateOf = ({ file, index }: BlockPlace): string =>
      ancestor?.stateName(file, index) ?? this.#scope.name(`state/${quantization}/${file}/${index}`);
    return {
      block: (at) => ({ weights: this.weights(at.file, at.block.segments), state: stateOf(at) }),
      segment: (at, number, factor) => ({
        weights: this.weights(at.file, [at.block.segments[number]!]),
        state: at.block.segments.length === 1 ? stateOf(at) : `${stateOf(at)}/${number}`,
        factor: this.#factorOf(factor),
      }),
      factor: (factor) => this.#factorOf(factor),
      wasSent: ({ file, block }) => this.#sent.has(this.weights(file, block.segments)),
      sent: ({ file, block }, isThere) => this.sent(file, block.segments, isThere),
      leave: () => this.#leave(),
    };
  }

  weights(file: number, segments: readonly Segment[]): string {
    const parts = segments.map((part) => `${part.tensor},${part.firstElement},${part.elementCount}`);
    return this.#scope.name(`weights/${file}/${parts.join('/')}`);
  }

  /** Notes that a block's weights were sent, or that they turned out to be gone. */
  sent(file: number, segments: readonly Segment[], isThere: boolean): void {
    const name = this.weights(file, segments);
    if (isThere) this.#sent.add(name);
    else this.#sent.delete(name);
  }

  /** What an earlier encoding left behind is let go of: its package is written over. */
  #leave(): LeftStates {
    this.#scope.forget('left/');
    this.#encodings += 1;
    const prefix = `left/${this.#encodings}/`;
    return {
      name: ({ file, index }) => this.#scope.name(`${prefix}${file}/${index}`),
      keep: (stored) => this.#scope.rename(prefix, stateNames(stored)),
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
  /** Whether the block's weights were sent: then a device may hold them. */
  wasSent(at: BlockPlace): boolean;
  /** Notes that they were, or that they turned out to be gone. */
  sent(at: BlockPlace, isThere: boolean): void;
  /** Begins the encoding of a package. */
  leave(): LeftStates;
  /** Of one segment of a block, which is rounded along its inputs with this factor. */
  segment(at: BlockPlace, number: number, factor: GptqPlace['factor']): HeldNames & { readonly factor: string };
}

/** Names of the states that the blocks of one package leave behind. */
export interface LeftStates {
  name(at: Pick<BlockPlace, 'file' | 'index'>): string;
  /**
   * Gives them the names under which the next checkpoint looks for them, so that they outlive the session. Only for a
   * package that was stored and verified.
   */
  keep(stored: StoredPackage): void;
}

/** Undefined if the call needs what only a device had, and it is gone. */
export async function ifHeld<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof DeviceLossError)) throw error;
    return undefined;
  }
}
