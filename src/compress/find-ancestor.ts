import type { Catalog, Checkpoint, Run } from '../catalog/catalog.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import type { Restorer } from '../restore/restorer.ts';

/** How many ready checkpoints back an ancestor is looked for: one stored exact in between does not end a run's chain. */
const lookBackMax = 4;

/** A stored checkpoint that could be an ancestor. */
export interface AncestorCandidate {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
}

/** The ready checkpoints before this one, nearest first: of its run, then the one its run was forked from. */
export async function ancestorCandidates(catalog: Catalog, run: Run, sequence: number): Promise<AncestorCandidate[]> {
  const found: AncestorCandidate[] = [];
  for (let before = sequence; found.length < lookBackMax;) {
    const checkpoint = await catalog.checkpoints.previousReady(run.id, before);
    if (checkpoint === undefined) break;
    found.push({ checkpoint, run });
    before = checkpoint.sequence;
  }
  if (found.length < lookBackMax && run.parentCheckpointId !== undefined) {
    const checkpoint = await catalog.checkpoints.get(run.parentCheckpointId);
    const parentRun = checkpoint === undefined ? undefined : await catalog.runs.get(checkpoint.runId);
    if (checkpoint?.state === 'ready' && parentRun !== undefined) found.push({ checkpoint, run: parentRun });
  }
  return found;
}

/** Opens a candidate's package with its chain; undefined when its chain has no room for another. Close it. */
export async function openCandidate(catalog: Catalog, restorer: Restorer, candidate: AncestorCandidate, chainLengthMax: number): Promise<PackageChain | undefined> {
  const { packageId } = candidate.checkpoint;
  if (packageId === undefined) return undefined;
  const chain = await catalog.packages.chain(packageId);
  return chain.length >= chainLengthMax ? undefined : restorer.open(chain);
}
