import type { MetricValues } from '../checkpoint/quality/quality.ts';
import { configKey, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';

/** One config evaluated on the eval set. */
export interface TrialOutcome {
  readonly metrics: MetricValues;
  /** The metrics of each half of the eval set, if the config must pass on both. */
  readonly halves?: readonly MetricValues[];
  /** Relative degradation of every metric. */
  readonly degradation: MetricValues;
  readonly passed: boolean;
  /**
   * Largest degradation in units of its threshold, on the worse half if there are halves: at most 1 passes. Infinity
   * when a value is not finite.
   */
  readonly worst: number;
  /**
   * The part of `worst` that is a standard error, if there is one: it grows with a quantization step, where a
   * degradation grows with its square.
   */
  readonly uncertain?: number;
  /** Comparisons with the uploaded model's outputs that must stay inside limits, by metric. */
  readonly observed?: MetricValues;
  /** Standard error of each degradation over examples. */
  readonly standardError?: MetricValues;
}

/** A config that passed. */
export interface FoundConfig {
  readonly config: QuantizationConfig;
  readonly estimatedBytes: number;
}

/** The services that a search needs. */
export interface TrialPort {
  /** Bytes that the checkpoint is expected to take with this config. */
  estimateBytes(config: QuantizationConfig): Promise<number>;
  /** Evaluates one config; several calls may be in flight. */
  evaluate(config: QuantizationConfig): Promise<TrialOutcome>;
  /** Called once per trial, in order of completion within a group. */
  onTrial(config: QuantizationConfig, outcome: TrialOutcome, ordinal: number): Promise<void>;
}

/**
 * Runs trials in groups of `parallel` (Inshrinkerator section 5, "Parallelized implementation"). A search requests one
 * config and names those that it may want next; these fill the group. The outcome is the same for every group size,
 * because a search decides only by the trials it requested, in the order of its requests. Speculation only fills the
 * memory of outcomes.
 */
export class TrialRunner {
  private readonly outcomes = new Map<string, TrialOutcome>();
  private readonly estimates = new Map<string, number>();
  /** Configs that a search has requested, in that order. */
  private readonly asked = new Map<string, QuantizationConfig>();
  private readonly port: TrialPort;
  private readonly parallel: number;
  private readonly trialsMax: number;

  constructor(
    port: TrialPort,
    options: {
      readonly parallel: number;
      readonly trialsMax: number;
      readonly known?: ReadonlyMap<string, TrialOutcome>;
    },
  ) {
    this.port = port;
    this.parallel = Math.max(1, options.parallel);
    this.trialsMax = options.trialsMax;
    for (const [key, outcome] of options.known ?? []) this.outcomes.set(key, outcome);
  }

  /**
   * Number of configs that a search has requested. Speculation does not count, so limits do not depend on the group
   * size.
   */
  get trialCount(): number {
    return this.asked.size;
  }
  get trialsLeft(): number {
    return Math.max(0, this.trialsMax - this.asked.size);
  }
  get exhausted(): boolean {
    return this.trialsLeft === 0;
  }

  /** Whether a search has requested this config before. */
  wasAsked(config: QuantizationConfig): boolean {
    return this.asked.has(configKey(config));
  }

  async estimate(config: QuantizationConfig): Promise<number> {
    const key = configKey(config);
    const known = this.estimates.get(key);
    if (known !== undefined) return known;
    const bytes = await this.port.estimateBytes(config);
    this.estimates.set(key, bytes);
    return bytes;
  }

  async trial(config: QuantizationConfig, speculation: readonly QuantizationConfig[] = []): Promise<TrialOutcome> {
    const key = configKey(config);
    this.asked.set(key, config);
    if (!this.outcomes.has(key)) await this.runGroup([config, ...speculation]);
    return this.outcomes.get(key)!;
  }

  /**
   * The requested config that passed with the fewest estimated bytes, the first requested among equals; undefined if
   * none did. Configs that only speculation evaluated do not count, so the answer is the same for every group size.
   */
  async cheapestPassed(): Promise<FoundConfig | undefined> {
    let cheapest: FoundConfig | undefined;
    for (const [key, config] of this.asked) {
      if (this.outcomes.get(key)?.passed !== true) continue;
      const estimatedBytes = await this.estimate(config);
      if (cheapest === undefined || estimatedBytes < cheapest.estimatedBytes) cheapest = { config, estimatedBytes };
    }
    return cheapest;
  }

  private async runGroup(wanted: readonly QuantizationConfig[]): Promise<void> {
    const group = new Map<string, QuantizationConfig>();
    for (const config of wanted) {
      if (group.size >= this.parallel) break;
      const key = configKey(config);
      if (!this.outcomes.has(key)) group.set(key, config);
    }
    const members = [...group.values()];
    const outcomes = await Promise.all(members.map((config) => this.port.evaluate(config)));
    for (const [i, config] of members.entries()) {
      const ordinal = this.outcomes.size;
      this.outcomes.set(configKey(config), outcomes[i]!);
      await this.port.onTrial(config, outcomes[i]!, ordinal);
    }
  }
}
