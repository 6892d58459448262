import { Counter, Histogram, type Registry } from 'prom-client';
import type { EndedSpan } from '../telemetry/metered-tracer.ts';
import type { Attributes } from '../telemetry/tracer.ts';

/** Upper bucket edges in seconds: from a phase of a tiny model to hours of search. */
const workBucketSeconds = [0.01, 0.1, 1, 5, 30, 120, 600, 3600, 4 * 3600];
const transactionBucketSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const evaluationBuckets = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Spans inside an encode job that are not phases of it. */
const notPhases: ReadonlySet<string> = new Set(['encode.trial', 'encode.estimate']);

/**
 * Counts work when its spans end: jobs, the phases of an encode, trials, stored bytes, transactions. Labels are words
 * of this program, never of users.
 */
export function workMetrics(registry: Registry): (ended: EndedSpan) => void {
  const registers = [registry];
  const seconds = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = workBucketSeconds,
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  const jobs = seconds('firn_job_seconds', 'Tries at jobs, from the claim to the end.', ['kind', 'outcome']);
  const phases = seconds('firn_encode_phase_seconds', 'Phases of encodes; `ancestor` is part of `read`.', [
    'phase',
    'outcome',
  ]);
  const trials = seconds('firn_trial_seconds', 'Configs written and evaluated.', ['method', 'outcome', 'device']);
  const transactions = seconds(
    'firn_catalog_transaction_seconds',
    'Transactions of the catalog, waiting included.',
    ['outcome'],
    transactionBucketSeconds,
  );
  const evaluations = new Histogram({
    name: 'firn_search_evaluations',
    help: 'Trials that the search of one checkpoint asked for.',
    labelNames: ['method'],
    buckets: evaluationBuckets,
    registers,
  });
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['method', 'kind'], registers });
  const encoded = counter('firn_encoded_checkpoints_total', 'Checkpoints made ready by this process.');
  const raw = counter('firn_encoded_raw_bytes_total', 'Their bytes as uploaded.');
  const stored = counter('firn_encoded_stored_bytes_total', 'The bytes that they were stored in.');

  const countCommit = (attributes: Attributes): void => {
    const method = wordOf(attributes['firn.method']);
    const labels = { method, kind: wordOf(attributes['firn.package.kind']) };
    encoded.inc(labels);
    raw.inc(labels, Number(attributes['firn.raw_bytes']));
    stored.inc(labels, Number(attributes['firn.stored_bytes']));
    if (attributes['firn.searched'] === true) evaluations.observe({ method }, Number(attributes['firn.trials']));
  };
  return ({ name, attributes, seconds: took, failure }) => {
    const outcome = failure === undefined ? 'done' : 'failed';
    if (name === 'job')
      jobs.observe(
        { kind: wordOf(attributes['firn.job.kind']), outcome: wordOf(attributes['firn.job.outcome'] ?? outcome) },
        took,
      );
    else if (name === 'catalog.transaction') transactions.observe({ outcome }, took);
    else if (name === 'encode.trial')
      trials.observe(
        {
          method: wordOf(attributes['firn.method']),
          outcome: trialOutcome(attributes, failure !== undefined),
          device: wordOf(attributes['firn.device']),
        },
        took,
      );
    else if (name.startsWith('encode.') && !notPhases.has(name))
      phases.observe({ phase: name.slice('encode.'.length), outcome }, took);
    if (name === 'encode.commit' && failure === undefined) countCommit(attributes);
  };
}

/** Counts checkpoints that were begun again on the processor; call the returned function for each. */
export function countDeviceFailures(registry: Registry): () => void {
  const failures = new Counter({
    name: 'firn_evaluation_device_failures_total',
    help: 'Checkpoints begun again on the processor because their evaluation failed on the GPU.',
    registers: [registry],
  });
  return () => failures.inc();
}

function trialOutcome(attributes: Attributes, failed: boolean): string {
  if (failed) return 'error';
  return attributes['firn.passed'] === true ? 'passed' : 'failed';
}

function wordOf(value: Attributes[string]): string {
  return String(value ?? 'unknown');
}
