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

/** Most values on one axis of a search. */
export const axisLengthMax = 64;

/** What an option of a search takes: values as a field has them, or yes and no. */
export type SearchOptionField = ConfigField | { readonly kind: 'flag' };

/**
 * An option of a run's search that one method owns. The API's schemas and the defaults of a run are made of it, as they
 * are of the config's fields.
 */
export interface SearchOption<Value> {
  /** The allowed values. An axis has none of its own: it takes those of the config's field that it is an axis of. */
  readonly field?: SearchOptionField;
  /** The config's field whose values this option lists, each once. */
  readonly axisOf?: string;
  readonly default: Exclude<Value, undefined>;
  /** Whether stored runs from before it existed lack it. */
  readonly optional?: true;
  /** An older spelling of a value, which requests may still have, and the value that it stands for. */
  readonly olderSpelling?: { readonly from: string; readonly to: Value };
  readonly description?: string;
}

/**
 * A method's config as the rest of the program sees it: fields and limits (http makes its schemas of them), its key,
 * its description, its rules. One entry a method; quantization-config.ts lists them.
 */
export interface MethodConfig<Config extends { readonly method: string }, Options extends object = object> {
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
  /** Options of a run's search that this method owns. No two methods have one of the same name. */
  readonly searchOptions?: { readonly [Option in keyof Options]-?: SearchOption<Options[Option]> };
  /** What the API says of these options together. */
  readonly searchDescription?: string;
  /** What this method does with `weightErrorMax`, an option of every search. */
  readonly weightErrorDescription?: string;
  /** Rules beyond the limits of single fields. Throws `invalid-request`. */
  check?(config: Config): void;
  /** The same for its options of a run's search. Throws `invalid-request`. */
  checkSearch?(options: Options): void;
}
