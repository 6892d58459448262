/** A field of a config: its allowed values, and its description in the API. */
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
  /** Whether a config may lack it. A choice with a default is optional for clients only. */
  readonly optional?: true;
}

/** A number computed from a config: shown with it, and ignored if a client sends it back. */
export interface DerivedField<Config> {
  readonly description: string;
  of(config: Config): number;
}

/** The axes of a search, which a method's rules may bound. */
export interface ConfigAxes {
  readonly bins: readonly number[];
  readonly embeddingBins: readonly number[];
  readonly pruneFractions: readonly number[];
  readonly protectFractions: readonly number[];
  readonly bitPrices?: readonly number[];
  readonly clustering: string;
}

/**
 * A method's config as the rest of the program sees it: fields and limits (http makes its schemas of them), its key,
 * its description, its rules. One entry a method; quantization-config.ts lists them.
 */
export interface MethodConfig<Config extends { readonly method: string }> {
  readonly method: Config['method'];
  /** Name of its schema in the API. */
  readonly schemaName: string;
  readonly fields: { readonly [Field in Exclude<keyof Config, 'method'>]-?: ConfigField };
  /** Further fields that the API shows, by name. */
  readonly derived?: Readonly<Record<string, DerivedField<Config>>>;
  readonly example: Config;
  /** The API description of the case that a client leaves the method out. At most one method has it. */
  readonly unnamed?: string;
  /**
   * The config of a run that gives none, for a method that restores weights exactly as uploaded: there is no search,
   * and no eval set is needed.
   */
  readonly unsearched?: Config;
  /** Whether upkeep may merge old deltas of checkpoints under such a config. */
  readonly mergesDeltas: boolean;
  /** Values that distinguish two configs of the method, as text without a slash. */
  key(config: Config): readonly (string | number)[];
  /** A config in a few words, for rows and progress. */
  describe(config: Config): string;
  /** Options of a run's search that concern this method alone, with their descriptions in the API. */
  readonly searchOptions?: Readonly<Record<string, string>>;
  /**
   * Axes of its search, if it has any: the option that lists the values of each, and the field that has one of them.
   */
  readonly axes?: {
    readonly description: string;
    readonly fields: Readonly<Record<string, string>>;
  };
  /** Rules beyond the limits of single fields. Throws `invalid-request`. */
  check?(config: Config): void;
  /** The same for the axes of a run's search. Throws `invalid-request`. */
  checkAxes?(axes: ConfigAxes): void;
}
