import type { LatticeState, ResidualChain } from '../../../../native/core.ts';
import { residualWay } from '../../../../restore/chain/decoders/residual-decoder.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';

type Place = { readonly file: number; readonly index: number };

/**
 * State of the ancestor's block that this one is coded against; undefined without a counterpart. Rejects with the
 * errors of restore.
 */
export async function previousState(
  ancestor: Ancestor | undefined,
  { file, index }: Place,
  signal?: AbortSignal,
): Promise<LatticeState | undefined> {
  const decoded = await ancestor?.decoded(file, index, signal);
  return decoded?.kind === 'residual' ? decoded.state : undefined;
}

/** The way to that state, which the core follows in one go; undefined without a counterpart. Rejects alike. */
export async function previousChain(
  ancestor: Ancestor | undefined,
  { file, index }: Place,
  signal?: AbortSignal,
): Promise<ResidualChain | undefined> {
  const walk = ancestor?.walk(file, index);
  return walk && residualWay(walk, signal);
}
