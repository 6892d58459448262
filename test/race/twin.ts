import type { Content } from './contents.ts';

/** The twin's record of one checkpoint. */
export interface TwinCheckpoint {
  readonly content: Content;
  /** A client asked to cancel it, so it may never become ready. */
  mayBeCancelled: boolean;
  isReady: boolean;
  /** Digest of its rebuilt model, once known; it never changes. */
  rebuilt: string | undefined;
}

/** One step of a run. */
export interface TwinStep {
  readonly run: TwinRun;
  readonly step: number;
  /** Undefined if the step is empty. */
  current: TwinCheckpoint | undefined;
  /** All checkpoints ever pushed to this step, by digest of their downloads. */
  readonly everSeen: Set<string>;
  /** One request at a time changes a step. */
  isChanging: boolean;
  /** Counts starts and ends of changes. */
  epoch: number;
}

export interface TwinRun {
  readonly name: string;
  readonly kind: 'exact' | 'moving';
  readonly steps: Map<number, TwinStep>;
  isGone: boolean;
  isDeleting: boolean;
  /** Counts starts and ends of its own deletion, and of changes of its steps. */
  epoch: number;
  changes: number;
  nextStep: number;
}

/** The expected content of a hub after its answers; these maps are the whole model. */
export class Twin {
  readonly runs = new Map<string, TwinRun>();
  #names = 0;

  newName(): string {
    return `run-${this.#names++}`;
  }

  add(name: string, kind: TwinRun['kind']): TwinRun {
    const run: TwinRun = {
      name,
      kind,
      steps: new Map(),
      isGone: false,
      isDeleting: false,
      epoch: 0,
      changes: 0,
      nextStep: 0,
    };
    this.runs.set(name, run);
    return run;
  }

  get live(): TwinRun[] {
    return [...this.runs.values()].filter(({ isGone, isDeleting }) => !isGone && !isDeleting);
  }

  remove(run: TwinRun): void {
    run.isGone = true;
    for (const step of run.steps.values()) step.current = undefined;
    this.runs.delete(run.name);
  }

  stepOf(run: TwinRun, number: number): TwinStep {
    const known = run.steps.get(number);
    if (known !== undefined) return known;
    const step: TwinStep = { run, step: number, current: undefined, everSeen: new Set(), isChanging: false, epoch: 0 };
    run.steps.set(number, step);
    return step;
  }
}

/** Steps of a run that have a checkpoint. */
export function heldSteps(run: TwinRun): TwinStep[] {
  return [...run.steps.values()].filter(({ current }) => current !== undefined);
}

/**
 * Marks a step as changing while `change` runs; `change` can find out whether the whole run is being deleted meanwhile.
 */
export async function changing(step: TwinStep, change: (runMoved: () => boolean) => Promise<void>): Promise<void> {
  const { run } = step;
  const { epoch } = run;
  step.isChanging = true;
  step.epoch++;
  run.changes++;
  try {
    await change(() => run.isGone || run.isDeleting || run.epoch !== epoch);
  } finally {
    step.isChanging = false;
    step.epoch++;
    run.changes++;
  }
}

/** Returns whether a step has not changed since the mark was made. If so, answers in between must match exactly. */
export function markOf(step: TwinStep): () => boolean {
  const { run, epoch } = step;
  const runEpoch = run.epoch;
  const wasStill = !step.isChanging && !run.isDeleting;
  return () => wasStill && !step.isChanging && !run.isDeleting && step.epoch === epoch && run.epoch === runEpoch;
}
