import type { FileRole } from '../../checkpoint/role.ts';
import type { TrialDigests } from '../encode/digest-quantized.ts';
import type { Measurement } from './quality-gate.ts';

/** What a trial measured, and of which files. */
export interface MeasuredTrial {
  /** With all observed metrics. */
  readonly measurement: Measurement;
  /** By file number: digests of every model file that the evaluation read. */
  readonly digests: TrialDigests;
}

/**
 * The trials of one attempt; by their keys (`trialKey`) those that passed with all observed metrics. An evaluation is
 * deterministic, so the figures of a trial are those of any files with the same digests, and the stored result needs
 * none of its own. Trials of another attempt are not among them: only their judged metrics are recorded.
 */
export interface MeasuredTrials {
  /** Evaluated so far, passed or not. */
  begun: number;
  readonly passed: Map<string, MeasuredTrial>;
}

/**
 * The trial's measurement if it read the very model files that are stored; otherwise undefined. `sha256`: by file
 * number, the digest of what a download returns. A file may be stored in another form than the trial had it, such as
 * the raw object where that is smaller.
 */
export function measurementOf(
  { measurement, digests }: MeasuredTrial,
  files: readonly { readonly role: FileRole }[],
  sha256: readonly string[],
): Measurement | undefined {
  const isSame = ({ role }: { readonly role: FileRole }, file: number): boolean =>
    role !== 'model' || digests.get(file)?.sha256 === sha256[file];
  return files.every(isSame) ? measurement : undefined;
}
