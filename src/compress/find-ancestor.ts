import type { Catalog, Checkpoint, Run } from '../catalog/catalog.ts';

/** How many ready checkpoints back an ancestor is looked for: the nearest ones may be stored exact, or at the end of chains without room. */
const lookBackMax = 12;
/** How many forks back: a run without a ready checkpoint of its own may be forked again. */
const forksBackMax = 16;

/** A stored checkpoint that could be an ancestor. */
export interface AncestorCandidate {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
}

/** The ready checkpoints before this one, nearest first: of its run, then the one its run was forked from and those before that. */
export async function ancestorCandidates(catalog: Catalog, run: Run, sequence: number): Promise<AncestorCandidate[]> {
  const found: AncestorCandidate[] = [];
  let place = { run, before: sequence };
  for (let forksBack = 0; found.length < lookBackMax;) {
    const checkpoint = await catalog.checkpoints.previousReady(place.run.id, place.before);
    if (checkpoint !== undefined) {
      found.push({ checkpoint, run: place.run });
      place = { run: place.run, before: checkpoint.sequence };
      continue;
    }
    const fork = forksBack < forksBackMax ? await forkPoint(catalog, place.run) : undefined;
    if (fork === undefined) break;
    place = fork;
    forksBack += 1;
  }
  return found;
}

/** Where to look on in the run that this one was forked from: from the fork point on backwards. */
async function forkPoint(catalog: Catalog, { parentCheckpointId }: Run): Promise<{ run: Run; before: number } | undefined> {
  const parent = parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(parentCheckpointId);
  const run = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parent === undefined || run === undefined ? undefined : { run, before: parent.sequence + 1 };
}
