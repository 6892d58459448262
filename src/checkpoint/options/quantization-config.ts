import { bitsnapConfig } from './methods/bitsnap-config.ts';
import { inshrinkeratorConfig } from './methods/inshrinkerator-config.ts';
import { lcCheckpointConfig } from './methods/lc-checkpoint-config.ts';
import type { ConfigField, MethodConfig } from './methods/method-config.ts';
import { residualConfig } from './methods/residual-config.ts';

/** Every method's config; a method is added here and in compress/method/all-methods.ts. */
const entries = {
  inshrinkerator: inshrinkeratorConfig,
  residual: residualConfig,
  'lc-checkpoint': lcCheckpointConfig,
  bitsnap: bitsnapConfig,
} as const;

type Entries = typeof entries;
export type QuantizationMethod = keyof Entries;
/** How a checkpoint is quantized; the method decides which knobs there are. */
export type QuantizationConfig = {
  [Method in QuantizationMethod]: Entries[Method] extends MethodConfig<infer Config> ? Config : never;
}[QuantizationMethod];

export const methodConfigs: readonly MethodConfig<QuantizationConfig>[] = Object.values(entries);
export const quantizationMethods = Object.keys(entries) as [QuantizationMethod, ...QuantizationMethod[]];
/** Methods that allow old deltas to be merged. */
export const mergeableMethods = quantizationMethods.filter((method) => entries[method].mergesDeltas);

/** The config description of a method. */
export function methodConfigOf(method: QuantizationMethod): MethodConfig<QuantizationConfig> {
  return entries[method];
}

/** What the API says of an option of a run's search that concerns one method. Throws an Error if none has it. */
export function searchOptionWords(option: string): string {
  const words = methodConfigs.find(({ searchOptions }) => searchOptions?.[option] !== undefined)?.searchOptions;
  if (words === undefined) throw new Error(`no method has the search option ${option}`);
  return words[option]!;
}

/** The field of a config that an axis of a run's search gives the values of. Throws an Error if no method has it. */
export function axisField(option: string): ConfigField {
  for (const { axes, fields } of methodConfigs) {
    const field = axes?.fields[option];
    if (field !== undefined) return (fields as Readonly<Record<string, ConfigField>>)[field]!;
  }
  throw new Error(`no method has the axis ${option}`);
}

/** One spelling per config: the key of trials and of reuse after a takeover. */
export function configKey(config: QuantizationConfig): string {
  return [config.method, ...methodConfigOf(config.method).key(config)].join('/');
}
