import type { DeviceKind } from '../checkpoint/device-kind.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';

/** The parts of a worker that may use a device. */
export interface DeviceUsers {
  readonly evaluator: Pick<Evaluator, 'kinds'>;
}

/**
 * What a worker can do its work on, now: what it claims by, and what it says of itself. Figures decide it: a job that
 * wishes for a GPU wants to be measured there. A part that only gets faster on a GPU adds no kind. Never rejects.
 */
export function workerDevices({ evaluator }: DeviceUsers): Promise<readonly DeviceKind[]> {
  return evaluator.kinds();
}

/** The one kind that a worker is known by: the best that it has. */
export function bestDevice(kinds: readonly DeviceKind[]): DeviceKind {
  return kinds.includes('cuda') ? 'cuda' : 'cpu';
}
