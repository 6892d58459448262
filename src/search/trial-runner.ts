import type { MetricValues } from '../checkpoint/quality/quality.ts';
import { configKey, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';

/** One config evaluated on the eval set. */
export interface TrialOutcome {
  readonly metrics: MetricValues;
  /** Those of each half of the eval set, where it must pass on both. */
  readonly halves?: readonly MetricValues[];
  /** Relative degradation of every metric. */
  readonly degradation: MetricValues;
  readonly passed: boolean;
  /**
   * Largest degradation, on the worse half where there are halves, in units of its threshold: at most 1 passes.
   * Infinity when a value is not finite.
   */
  readonly worst: number;
}

/** A config that passed. */
export interface FoundConfig {
  readonly config: QuantizationConfig;
  readonly estimatedBytes: number;
}

/** What a search may ask for. */
export interface TrialPort {
  /** Bytes the checkpoint is expected to take under this config. */
  estimateBytes(config: QuantizationConfig): Promise<number>;
  /** Evaluates one config; several calls may be in flight. */
  evaluate(config: QuantizationConfig): Promise<TrialOutcome>;
  /** Called once per trial, in order of completion within a group. */
  onTrial(config: QuantizationConfig, outcome: TrialOutcome, ordinal: number): Promise<void>;
}

/**
 * Runs trials in groups of `parallel` (Inshrinkerator section 5, "Parallelized implementation"). A search asks for one
 * config and names those it might want next; the group is filled with these. Because a search decides on the answers it
 * asked for alone, in the order it asked, the outcome is the same for every group size: speculation only fills the
 * memory of outcomes.
 */
export class TrialRunner {
  private readonly outcomes = new Map<string, TrialOutcome>();
  private readonly estimates = new Map<string, number>();
  /** Configs a search has asked for, in the order it did. */
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

  /** Outcomes a search has asked for; speculation is not counted, so that limits do not depend on the group size. */
  get trialCount(): number {
    return this.asked.size;
  }
  get trialsLeft(): number {
    return Math.max(0, this.trialsMax - this.asked.size);
  }
  get exhausted(): boolean {
    return this.trialsLeft === 0;
  }

  /** Whether a search has asked for this config before. */
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
   * The fewest estimated bytes among the configs asked for that passed, the first asked among equals; undefined when
   * none did. What speculation happened to evaluate does not count, so that the answer is the same for every group
   * size.
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
