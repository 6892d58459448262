import { describeConfig } from '../describe-config.ts';
import type { PushedCheckpoint } from '../push-series.ts';
import { asGoodAs, type AsGoodAs, type LeadingMetric } from '../../../checkpoint/quality/as-good-as.ts';
import { recordedNotes } from './recorded-notes.ts';

/** One row of the demo's table, and of the output of `--json`. */
export interface DemoRow {
  readonly run: string;
  readonly step: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly ratio: number;
  readonly kind: string;
  readonly config: string;
  /** JSON has no NaN and no infinity: values that are not finite are null. */
  readonly metricsBefore: Readonly<Record<string, number | null>>;
  readonly metricsAfter: Readonly<Record<string, number | null>>;
  readonly degradation: Readonly<Record<string, number | null>>;
  /** Of the leading metric; absent if unknown. */
  readonly asGoodAs?: AsGoodAs;
  readonly migration: number | undefined;
  readonly trials: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

export interface DemoRowOptions {
  /** Metrics to list first, in this order; the others follow. */
  readonly metrics?: readonly string[];
  readonly leading?: LeadingMetric;
  /** Rows of the checkpoints before this one in its lineage. */
  readonly lineage?: readonly DemoRow[];
}

/** Throws an Error if the checkpoint did not become ready. */
export function demoRow(
  pushed: PushedCheckpoint,
  { metrics = [], leading, lineage = [] }: DemoRowOptions = {},
): DemoRow {
  const { status, run, checkpoint, seconds } = pushed;
  if (status.state !== 'ready' || status.result === undefined) {
    throw new Error(
      `${run}@${checkpoint.step} is ${status.state}: ${status.error?.code ?? 'no reason'} ` +
        `${status.error?.message ?? ''}`,
    );
  }
  const { result } = status;
  const measured = {
    step: checkpoint.step,
    metricsBefore: inOrder(result.baseline, metrics),
    metricsAfter: inOrder(result.measured, metrics),
  };
  const good = leading && asGoodAs(measured, [...lineage, measured], leading);
  return {
    run,
    rawBytes: result.rawBytes,
    storedBytes: result.storedBytes,
    ratio: result.rawBytes / result.storedBytes,
    kind: result.fidelity === 'exact' ? `exact ${result.kind}` : result.kind,
    config: result.config === undefined ? '-' : describeConfig(result.config),
    ...measured,
    degradation: inOrder(result.degradation, metrics),
    ...(good && { asGoodAs: good }),
    migration: result.migration,
    trials: result.trialCount,
    seconds,
    warnings: [...result.warnings, ...recordedNotes(checkpoint.recorded, result.baseline ?? {})],
  };
}

function inOrder(values: Readonly<Record<string, number>> = {}, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set([...names, ...Object.keys(values)])].flatMap((name) =>
      Object.hasOwn(values, name) ? [[name, values[name]!]] : [],
    ),
  );
}
