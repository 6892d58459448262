import { bitsnapConfig } from './methods/bitsnap-config.ts';
import { inshrinkeratorConfig } from './methods/inshrinkerator-config.ts';
import { lcCheckpointConfig } from './methods/lc-checkpoint-config.ts';
import type { MethodConfig } from './methods/method-config.ts';
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
  [Method in QuantizationMethod]: Entries[Method] extends MethodConfig<infer Config, infer _> ? Config : never;
}[QuantizationMethod];

/** The search options that some method owns. */
type OwnedOptions = {
  [Method in QuantizationMethod]: Entries[Method] extends MethodConfig<infer _, infer Options> ? Options : never;
}[QuantizationMethod];
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** The search options that methods own, of all methods together: they are stored as one object. */
export type MethodSearchOptions = Intersection<OwnedOptions>;

export const methodConfigs: readonly MethodConfig<QuantizationConfig>[] = Object.values(entries);
export const quantizationMethods = Object.keys(entries) as [QuantizationMethod, ...QuantizationMethod[]];
/** Methods that allow old deltas to be merged. */
export const mergeableMethods = quantizationMethods.filter((method) => entries[method].mergesDeltas);

/** The config description of a method. */
export function methodConfigOf(method: QuantizationMethod): MethodConfig<QuantizationConfig> {
  return entries[method];
}

/** One spelling per config: the key of trials and of reuse after a takeover. */
export function configKey(config: QuantizationConfig): string {
  return [config.method, ...methodConfigOf(config.method).key(config)].join('/');
}
