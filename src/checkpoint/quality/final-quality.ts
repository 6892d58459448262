import { FirnError } from '../firn-error.ts';
import type { QualityThresholds } from './quality.ts';

/** How the last checkpoint of a run is to be kept; as the others if nothing is said. */
export interface FinalQuality {
  /** Weights come back exact. */
  readonly exact?: boolean | undefined;
  /** Thresholds instead of the run's. */
  readonly thresholds?: QualityThresholds | undefined;
}

/** Whether something is asked for the last checkpoint that the others do not have. */
export function asksForMore({ exact, thresholds }: FinalQuality): boolean {
  return exact === true || thresholds !== undefined;
}

/** The error for a new step of a closed run. */
export function runClosed(): FirnError {
  return new FirnError(
    'run-closed',
    'The run is closed and takes no new steps. To go on with it, open it again: PATCH the run with {"final": false}.',
  );
}
