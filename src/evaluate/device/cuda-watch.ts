import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { DeviceReport, EvaluateOn } from './device-report.ts';

/** How long a device that did not start is left alone, in ms: starting a process for each claim would be wasteful. */
const restMs = 10 * 60 * 1000;

export interface CudaWatchOptions {
  readonly on: EvaluateOn;
  /** Why the provider cannot start, from files alone; undefined if it may. */
  readonly missing: () => string | undefined;
  /** Starts a child with CUDA and returns what it says. */
  readonly ask: () => Promise<DeviceReport>;
  /** Called with the first report, and with each that differs from the one before. */
  readonly onReport?: ((report: DeviceReport) => void) | undefined;
  readonly nowMs?: () => number;
}

/**
 * Knows which kinds of devices evaluations can run on. It asks once, again after an evaluation failed on the device,
 * and every ten minutes while the device does not start.
 */
export class CudaWatch {
  readonly #options: CudaWatchOptions;
  readonly #nowMs: () => number;
  #report: DeviceReport | undefined;
  #askedAtMs = 0;
  #stale = true;
  #asking: Promise<DeviceReport> | undefined;

  constructor(options: CudaWatchOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * The kinds that evaluations can run on now. With `cuda` there are none while the device does not start, so that
   * nothing is claimed. Never rejects.
   */
  async kinds(): Promise<readonly DeviceKind[]> {
    const { on } = this.#options;
    if (on === 'cpu') return ['cpu'];
    if ((await this.#current()).kind === 'cuda') return ['cpu', 'cuda'];
    return on === 'cuda' ? [] : ['cpu'];
  }

  /** Rejects with `eval-device` if CUDA is demanded and does not start. */
  async require(): Promise<void> {
    if (this.#options.on !== 'cuda') return;
    const { kind, reason = 'CUDA does not start.', detail } = await this.#current();
    if (kind !== 'cuda') throw new FirnError('eval-device', `FIRN_EVALUATE_ON=cuda: ${reason}`, detailOf(detail));
  }

  /** An evaluation failed on the device: the next look asks again. */
  failed(): void {
    this.#stale = true;
  }

  async #current(): Promise<DeviceReport> {
    const rested = this.#report?.kind === 'cpu' && this.#nowMs() - this.#askedAtMs >= restMs;
    if (this.#report !== undefined && !this.#stale && !rested) return this.#report;
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<DeviceReport> {
    const { missing, ask, onReport } = this.#options;
    this.#stale = false;
    const reason = missing();
    const report = reason === undefined ? await ask().catch(notStarted) : { kind: 'cpu' as const, reason };
    this.#askedAtMs = this.#nowMs();
    const changed = report.kind !== this.#report?.kind || report.reason !== this.#report.reason;
    this.#report = report;
    if (changed) onReport?.(report);
    return report;
  }
}

function notStarted(error: unknown): DeviceReport {
  const message = error instanceof Error ? error.message : String(error);
  const detail = error instanceof FirnError ? error.detail : undefined;
  return { kind: 'cpu', reason: `A process that evaluates with CUDA does not start: ${message}`, detail };
}

function detailOf(detail: string | undefined): { detail?: string } {
  return detail === undefined ? {} : { detail };
}
