import { isQuantizable } from '../../../checkpoint/dtype.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import { trialsMost } from './steps/search-step.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { lastConfig } from '../../ancestor/last-config.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import { measureGramMatrices } from '../gram-matrices.ts';
import type { Method, MethodSession, MethodWork, QuantizationBasis } from '../method.ts';
import type { Quantization } from '../quantized-model.ts';
import { DeviceNames } from './held-names.ts';
import { measureDrift } from './steps/measure-drift.ts';
import { SymbolCache } from './lattice/symbol-cache.ts';
import { residualQuantization } from './residual-quantization.ts';

/** Steps that differ by less than this, in 1/32 octaves, give nearly the same estimates. */
const finerMin = 2;

/** Every weight as a number of steps from the rebuilt ancestor (docs/decisions/0013-residual-method.md). */
export const residualMethod: Method = {
  name: 'residual',
  // Vectors too: in late deltas, exact norms and biases would be most of a package. Buffers are left exact: they are
  // constants of the architecture as often as statistics.
  codingOf: ({ layerType, entry }) =>
    layerType !== 'buffer' && isQuantizable(entry.dtype) && entry.elementCount > 0 ? { kind: 'residual' } : undefined,
  ancestry: { kind: 'budgeted', isFiner },
  trialsMost,
  isRepeatable: true,
  // Each trial predicts the next.
  trialsAtOnce: 1,
  measureInputs: measureGramMatrices,
  begin: (work) => new ResidualSession(work),
};

function isFiner(found: QuantizationConfig, last: QuantizationConfig | undefined): boolean {
  return found.method === 'residual' && last?.method === 'residual' && found.step <= last.step - finerMin;
}

class ResidualSession implements MethodSession {
  readonly #work: MethodWork;
  readonly #symbolCache: SymbolCache;
  readonly #deviceNames: DeviceNames | undefined;
  /** By the ancestor, or by the model for a base, so that an estimate and the encode after it share one. */
  readonly #known = new WeakMap<object, Promise<Quantization>>();

  constructor(work: MethodWork) {
    this.#work = work;
    this.#symbolCache = new SymbolCache(work.cacheMaxBytes);
    const scope = work.core.openDeviceScope();
    this.#deviceNames = scope && new DeviceNames(scope);
    if (this.#deviceNames !== undefined) work.source.holdOnDevice(this.#deviceNames);
  }

  quantization(basis: QuantizationBasis): Promise<Quantization> {
    const key = basis.ancestor ?? basis.model;
    const known = this.#known.get(key) ?? this.#make(basis);
    this.#known.set(key, known);
    return known;
  }

  drift(plan: CodingPlan, ancestor: Ancestor): Promise<number | undefined> {
    const { source, core, parallel, signal } = this.#work;
    const modelSymbols = this.#symbolCache.take();
    const deviceNames = this.#deviceNames;
    return measureDrift({ source, core, plan, ancestor, modelSymbols, deviceNames, parallel, signal });
  }

  close(): void {
    this.#symbolCache.clear();
    this.#deviceNames?.close();
  }

  #make({ model: { plan, gramMatrices }, ancestor, candidates, resumption }: QuantizationBasis): Promise<Quantization> {
    const { source, core, run, warn, parallel, signal } = this.#work;
    const { rounding, hysteresis, weightErrorMax } = run.search;
    const last = lastConfig(candidates);
    return residualQuantization({
      source,
      plan,
      ancestor,
      core,
      last,
      warn,
      gramMatrices,
      symbolCache: this.#symbolCache,
      deviceNames: this.#deviceNames,
      rounding,
      hysteresis,
      weightErrorMax,
      resumption,
      parallel,
      signal,
    });
  }
}
