/** A field of a config: what a client may give, and what the API says of it. */
export type ConfigField =
  | (FieldWords & { readonly kind: 'integer'; readonly min: number; readonly max: number })
  /** From `min` to `max`, or to below `below`. */
  | (FieldWords & { readonly kind: 'number'; readonly min: number; readonly max: number })
  | (FieldWords & { readonly kind: 'number'; readonly min: number; readonly below: number })
  | (FieldWords & {
      readonly kind: 'choice';
      readonly values: readonly [string, ...string[]];
      readonly default?: string;
    });

interface FieldWords {
  readonly description?: string;
  /** Whether a config may lack it. A choice with a default may be left out by a client alone. */
  readonly optional?: true;
}

/** A number that follows from a config: shown with it, and ignored where a client sends it back. */
export interface DerivedField<Config> {
  readonly description: string;
  of(config: Config): number;
}

/** The axes of a search, as the rules of a method may bound them. */
export interface ConfigAxes {
  readonly bins: readonly number[];
  readonly embeddingBins: readonly number[];
  readonly pruneFractions: readonly number[];
  readonly protectFractions: readonly number[];
  readonly bitPrices?: readonly number[];
  readonly clustering: string;
}

/**
 * What the whole program knows of a method's config: fields and limits (http makes its schemas of them), its key, its
 * words, its rules. One entry a method; quantization-config.ts lists them.
 */
export interface MethodConfig<Config extends { readonly method: string }> {
  readonly method: Config['method'];
  /** Name of its schema in the API. */
  readonly schemaName: string;
  readonly fields: { readonly [Field in Exclude<keyof Config, 'method'>]-?: ConfigField };
  /** What the API shows besides, by name. */
  readonly derived?: Readonly<Record<string, DerivedField<Config>>>;
  readonly example: Config;
  /** Where a client may leave the method out: what the API says of that. One method at most. */
  readonly unnamed?: string;
  /**
   * The config of a run that gives none, for a method whose weights come back as they were uploaded: nothing is
   * searched then, and no eval set is needed.
   */
  readonly unsearched?: Config;
  /** Whether upkeep may merge old deltas of checkpoints under such a config. */
  readonly mergesDeltas: boolean;
  /** What tells two configs of the method apart, as text without a slash. */
  key(config: Config): readonly (string | number)[];
  /** A config in a few words, for rows and progress. */
  describe(config: Config): string;
  /** Rules beyond the limits of single fields. Throws `invalid-request`. */
  check?(config: Config): void;
  /** The same of the axes of a run's search. Throws `invalid-request`. */
  checkAxes?(axes: ConfigAxes): void;
}
