import type { CheckpointResult } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile, FileResultRecord } from '../catalog/contract/file-records.ts';
import type { EncodedOn } from '../checkpoint/device-kind.ts';
import { asGoodAs, type AsGoodAs } from '../checkpoint/quality/as-good-as.ts';
import { needsReference } from '../checkpoint/quality/metric-kind.ts';
import { methodConfigOf } from '../checkpoint/options/quantization-config.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Decision } from './decide-config.ts';
import { fullBytes } from './ancestor/restore-budget.ts';
import type { AncestorCandidate } from './ancestor/find-ancestor.ts';
import { degradations, judgedOf, judgeMetrics } from './measure/judge-metrics.ts';
import { setSizeWarnings } from './measure/set-size-warnings.ts';
import type { SourceFile } from './upload/model-source.ts';
import { observedValues, unboundedWarnings, type MeasuredQuality } from './measure/observed-quality.ts';
import type { StoredCheckpoint } from './store-checkpoint.ts';

/** Findings on a checkpoint that is stored and verified. */
export interface Findings {
  /** Training step of the checkpoint. */
  readonly step: number;
  /** The repository of its run. */
  readonly repositoryId: string;
  readonly files: readonly SourceFile[];
  /** The files as uploaded. */
  readonly rows: readonly CheckpointFile[];
  readonly decision: Decision;
  readonly stored: StoredCheckpoint;
  readonly ancestor: AncestorCandidate | undefined;
  /** Absent without an eval set. */
  readonly quality?: MeasuredQuality;
  readonly warnings: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
  readonly encodedOn: EncodedOn;
}

/**
 * The result for the catalog; its metrics are those of the whole eval set. Throws `internal` if a config that was found
 * fails its thresholds on the decoded bytes; a given config is only reported.
 */
export function describeResult(findings: Findings): CheckpointResult {
  const { step, repositoryId, files, decision, stored, ancestor, quality, seconds } = findings;
  const config = decision.quantized?.config;
  const outside = quality !== undefined && stored.lossy && !isInside(quality, decision);
  if (outside && !decision.configGiven)
    throw new FirnError('internal', 'The decoded checkpoint is outside the threshold that its trial met.');
  return {
    fidelity: stored.lossy ? 'lossy' : 'exact',
    ...(config !== undefined && (stored.lossy || methodConfigOf(config.method).unsearched !== undefined) && { config }),
    ...(quality !== undefined && {
      measuredOn: quality.measuredOn,
      baseline: quality.bound.baseline,
      measured: quality.measured.whole,
      degradation: degradations(quality.bound, quality.measured.whole),
      ...(quality.limits !== undefined && { limits: quality.limits }),
      ...lagOf(quality, step),
      observed: observedValues(quality),
      understood: quality.understood,
    }),
    warnings: [
      ...findings.warnings,
      ...(outside ? ['The given config is outside the quality threshold.'] : []),
      ...(quality === undefined ? [] : unboundedWarnings(quality)),
      ...(quality === undefined || !stored.lossy || decision.configGiven ? [] : setSizeWarnings(quality)),
    ],
    kind: stored.kind,
    chainLength: stored.chainLength,
    ...(stored.kind === 'delta' &&
      ancestor?.run.repositoryId === repositoryId && {
        ancestorStep: ancestor.checkpoint.step,
        ancestorRun: ancestor.run.name,
      }),
    rawBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    fullBytes: fullBytes(files),
    storedBytes: stored.written.object.storedBytes + rawBytesKept(findings),
    ...(stored.migration !== undefined && { migration: stored.migration }),
    ...(decision.notes?.resumed === true && { resumed: true }),
    ...(decision.notes?.roundingError !== undefined && { roundingError: decision.notes.roundingError }),
    trialCount: decision.trialCount,
    encodedOn: findings.encodedOn,
    seconds,
  };
}

/** What a search found is inside its guards too; a given config is compared with the thresholds alone. */
function isInside({ bound, measured }: MeasuredQuality, { configGiven }: Decision): boolean {
  const { standardErrors: _, divergences: __, ...thresholdsOnly } = bound;
  const judged = configGiven ? thresholdsOnly : bound;
  return judgeMetrics(judged, judgedOf(judged, measured)).passed;
}

/** By the first metric of the set that training improves and a threshold bounds; by the first if none is bounded. */
function lagOf(
  { bound: { spec, thresholds, baseline }, measured, earlier = [] }: MeasuredQuality,
  step: number,
): { readonly asGoodAs?: AsGoodAs } {
  const withoutReference = spec.metrics.filter(({ kind }) => !needsReference(kind));
  const leading = withoutReference.find(({ name }) => Object.hasOwn(thresholds, name)) ?? withoutReference[0];
  if (leading === undefined) return {};
  const own = { step, metricsBefore: baseline, metricsAfter: measured.whole };
  const before = earlier.toReversed().map(({ step: at, metrics }) => ({ step: at, metricsBefore: metrics }));
  const found = asGoodAs(own, [...before, own], leading);
  return found === undefined ? {} : { asGoodAs: found };
}

/** By file. */
export function fileResults({ files, stored }: Pick<Findings, 'files' | 'stored'>): FileResultRecord[] {
  return files.map((file, number) => ({
    path: file.path,
    ...storageOf(stored, number),
    resultSha256: stored.sha256[number]!,
    resultBytes: file.sizeBytes,
  }));
}

function storageOf(
  { external, references }: StoredCheckpoint,
  number: number,
): Pick<FileResultRecord, 'storage' | 'originId'> {
  const originId = references.get(number);
  if (originId !== undefined) return { storage: 'reference', originId };
  return { storage: external.has(number) ? 'raw' : 'package' };
}

/** Raw objects that serve as storage, frame and checksums included. */
function rawBytesKept({ files, rows, stored }: Findings): number {
  const kept = new Set(
    [...stored.external].filter((number) => !stored.references.has(number)).map((number) => files[number]!.path),
  );
  return rows.filter((row) => kept.has(row.path)).reduce((sum, row) => sum + (row.rawStoredBytes ?? 0), 0);
}
