import type { TokenCountsHandle, TokenTablesHandle } from '../addon.ts';
import { checkArguments } from '../check/check-arguments.ts';
import type { LevelBlock, TokenCounts, TokenTables } from '../core.ts';
import { nativeError } from '../check/native-status.ts';
import { runJob, type JobRunner } from './run-job.ts';

/**
 * Implements TokenCounts with a C++ object. Several adds to one object may be pending: the pool runs them one after the
 * other.
 */
export class NativeTokenCounts implements TokenCounts {
  readonly #runner: JobRunner;
  readonly #handle: TokenCountsHandle;

  /** The object behind `counts`; throws if it is none of this core's. */
  static handleOf(counts: TokenCounts): TokenCountsHandle {
    if (!(counts instanceof NativeTokenCounts)) throw new TypeError('counts must be TokenCounts of the native core');
    return counts.#handle;
  }

  constructor(runner: JobRunner, handle: TokenCountsHandle) {
    this.#runner = runner;
    this.#handle = handle;
  }

  add(block: LevelBlock, signal?: AbortSignal): Promise<void> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.levelBlock(block);
      return addon.tokenCountsAdd(engine, this.#handle, block.previous, block.current, block.modulus);
    });
  }

  merge(other: TokenCounts): void {
    const status = this.#runner.addon.tokenCountsMerge(this.#handle, NativeTokenCounts.handleOf(other));
    if (status !== 0) throw nativeError(status);
  }

  build(): TokenTables {
    return new NativeTokenTables(this.#runner, this.#runner.addon.tokenCountsBuild(this.#handle));
  }

  payloadBits(): number {
    return this.#runner.addon.tokenCountsPayloadBits(this.#handle);
  }
}

/** Implements TokenTables with a C++ object. */
export class NativeTokenTables implements TokenTables {
  readonly #runner: JobRunner;
  readonly #handle: TokenTablesHandle;

  /** The object behind `tables`; throws if it is none of this core's. */
  static handleOf(tables: TokenTables): TokenTablesHandle {
    if (!(tables instanceof NativeTokenTables)) throw new TypeError('tables must be TokenTables of the native core');
    return tables.#handle;
  }

  constructor(runner: JobRunner, handle: TokenTablesHandle) {
    this.#runner = runner;
    this.#handle = handle;
  }

  serialize(): Uint8Array {
    return this.#runner.addon.tokenTablesSerialize(this.#handle);
  }

  encode(block: LevelBlock, signal?: AbortSignal): Promise<Uint8Array> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.levelBlock(block);
      return addon.tokenTablesEncode(engine, this.#handle, block.previous, block.current, block.modulus);
    });
  }

  decode(
    payload: Uint8Array,
    request: Parameters<TokenTables['decode']>[1],
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.levelDecode(payload, request);
      return addon.tokenTablesDecode(
        engine,
        this.#handle,
        payload,
        request.previous,
        request.elementCount,
        request.modulus,
      );
    });
  }
}
