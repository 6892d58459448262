import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';

export interface Trial {
  readonly checkpointId: string;
  readonly configKey: string;
  readonly config: QuantizationConfig;
  /** Order of evaluation over all searches of the checkpoint, from 0. */
  readonly ordinal: number;
  /** Number of the search, from 1: a checkpoint is searched again when another ancestor may cost less. */
  readonly search: number;
  readonly estimatedBytes: number;
  /** What it was measured on. */
  readonly device: DeviceKind;
  readonly metrics: MetricValues;
  /** Metrics of each half of the eval set, if the trial was judged on both. */
  readonly halves?: readonly MetricValues[];
  readonly degradation: MetricValues;
  /** Standard error of each degradation over examples, if the trial was judged with it. */
  readonly standardError?: MetricValues;
  /** Comparisons with the uploaded model's outputs that the trial was judged by. */
  readonly observed?: MetricValues;
  readonly passed: boolean;
  readonly seconds: number;
  readonly createdAt: Date;
}
export interface TrialRecords {
  /** Records a trial; the first record of a config stays. */
  record(trial: Omit<Trial, 'createdAt'>): Promise<void>;
  list(checkpointId: string): Promise<Trial[]>;
}
