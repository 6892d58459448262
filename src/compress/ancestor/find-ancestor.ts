import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';

/**
 * How many ready checkpoints the search for an ancestor looks back: the nearest ones may be stored exact, or end chains
 * without room.
 */
const lookBackMax = 12;
/**
 * Most other runs from which the newest checkpoint may be an ancestor: each is read if a run has nothing of its own to
 * build on.
 */
const otherRunsMax = 8;
/** Most references followed to their origins, largest first: usually one checkpoint has all files. */
const originsMax = 4;
/** Most forks followed back: a run without a ready checkpoint of its own may be forked again. */
const forksBackMax = 16;

/** A stored checkpoint that could be an ancestor. */
export interface AncestorCandidate {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
}

/**
 * The ready checkpoints before this one, nearest first: those of its run, then those before the fork point in the run
 * it was forked from, and so on.
 */
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

/**
 * Ready checkpoints of the repository for a run that has no usable ones of its own: the checkpoints with the origins of
 * its nearest checkpoint's references, and the newest of other runs. Rejects with the catalog's errors.
 */
export async function candidatesElsewhere(
  catalog: Catalog,
  run: Run,
  nearest: Checkpoint | undefined,
): Promise<AncestorCandidate[]> {
  const found = new Map<string, AncestorCandidate>();
  const add = async (checkpoint: Checkpoint | undefined): Promise<void> => {
    if (checkpoint?.packageId === undefined || found.has(checkpoint.id)) return;
    const holder = await catalog.runs.get(checkpoint.runId);
    if (holder !== undefined) found.set(checkpoint.id, { checkpoint, run: holder });
  };
  const rows = nearest === undefined ? [] : await catalog.files.list(nearest.id);
  const referring = rows
    .filter(({ originId }) => originId !== undefined)
    .sort((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0));
  for (const { originId } of referring.slice(0, originsMax)) {
    const origin = await catalog.files.get(originId!);
    if (origin !== undefined) await add(await catalog.checkpoints.get(origin.checkpointId));
  }
  for (const checkpoint of await catalog.checkpoints.newestElsewhere(run, otherRunsMax)) await add(checkpoint);
  return [...found.values()].filter(({ checkpoint }) => checkpoint.id !== nearest?.id);
}

/** Whether a run is this one, or one that it was forked from, however many forks back. */
export async function isForkOf(catalog: Catalog, run: Run, otherId: string): Promise<boolean> {
  let at: Run | undefined = run;
  for (let forksBack = 0; at !== undefined && at.id !== otherId; forksBack += 1)
    at = forksBack < forksBackMax ? (await forkPoint(catalog, at))?.run : undefined;
  return at !== undefined;
}

/** The run that this one was forked from, and the sequence number before which to search it. */
export async function forkPoint(
  catalog: Catalog,
  { parentCheckpointId }: Run,
): Promise<{ run: Run; before: number } | undefined> {
  const parent = parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(parentCheckpointId);
  const run = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parent === undefined || run === undefined ? undefined : { run, before: parent.sequence + 1 };
}
