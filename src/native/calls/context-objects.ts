import type { ContextCountsHandle, ContextTablesHandle } from '../addon.ts';
import { checkArguments } from '../check/check-arguments.ts';
import type { ContextBlock, ContextCounts, ContextLayout, ContextTables, DecodedContexts } from '../core.ts';
import { nativeError } from '../check/native-status.ts';
import { runJob, type JobRunner } from './run-job.ts';

/**
 * ContextCounts over their C++ object. Adds to one object may be fired together: the pool runs them one after the
 * other.
 */
export class NativeContextCounts implements ContextCounts {
  readonly #runner: JobRunner;
  readonly #handle: ContextCountsHandle;

  constructor(runner: JobRunner, handle: ContextCountsHandle) {
    this.#runner = runner;
    this.#handle = handle;
  }

  /** The C++ object of counts that a native core made. */
  static handleOf(counts: ContextCounts): ContextCountsHandle {
    if (!(counts instanceof NativeContextCounts))
      throw new TypeError('counts must be ContextCounts of the native core');
    return counts.#handle;
  }

  add(block: ContextBlock, signal?: AbortSignal): Promise<void> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.contextBlock(block);
      return addon.contextCountsAdd(engine, this.#handle, ...blockArguments(block));
    });
  }

  merge(other: ContextCounts): void {
    if (!(other instanceof NativeContextCounts)) throw new TypeError('merge takes ContextCounts of the native core');
    const status = this.#runner.addon.contextCountsMerge(this.#handle, other.#handle);
    if (status !== 0) throw nativeError(status);
  }

  async build({ slots }: { readonly slots: number }, signal?: AbortSignal): Promise<ContextTables> {
    const { addon, engine } = this.#runner;
    const handle = await runJob(this.#runner, signal, () => {
      checkArguments.contextSlots(slots);
      return addon.contextCountsBuild(engine, this.#handle, slots);
    });
    return new NativeContextTables(this.#runner, handle);
  }

  symbolRates(signal?: AbortSignal): Promise<Uint8Array> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => addon.contextCountsSymbolRates(engine, this.#handle));
  }
}

/** ContextTables over their C++ object. */
export class NativeContextTables implements ContextTables {
  readonly #runner: JobRunner;
  readonly #handle: ContextTablesHandle;

  constructor(runner: JobRunner, handle: ContextTablesHandle) {
    this.#runner = runner;
    this.#handle = handle;
  }

  /** The C++ object of tables that a native core made. */
  static handleOf(tables: ContextTables): ContextTablesHandle {
    if (!(tables instanceof NativeContextTables))
      throw new TypeError('tables must be ContextTables of the native core');
    return tables.#handle;
  }

  serialize(): Uint8Array {
    return this.#runner.addon.contextTablesSerialize(this.#handle);
  }

  totalBits(): number {
    return this.#runner.addon.contextTablesTotalBits(this.#handle);
  }

  encode(block: ContextBlock, signal?: AbortSignal): Promise<Uint8Array> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.contextBlock(block);
      return addon.contextTablesEncode(engine, this.#handle, ...blockArguments(block));
    });
  }

  decode(payload: Uint8Array, layout: ContextLayout, signal?: AbortSignal): Promise<DecodedContexts> {
    const { addon, engine } = this.#runner;
    return runJob(this.#runner, signal, () => {
      checkArguments.bytes('payload', payload);
      checkArguments.contextLayout(layout);
      return addon.contextTablesDecode(engine, this.#handle, payload, ...layoutArguments(layout));
    });
  }
}

function layoutArguments({ contexts, segments }: ContextLayout) {
  return [contexts, segments.counts, segments.slots] as const;
}

function blockArguments(block: ContextBlock) {
  return [...layoutArguments(block), block.symbols, block.escapes] as const;
}
