import type { HubContext } from '../hub-context.ts';
import { openBlob } from '../tree/open-blob.ts';
import type { AddedFile, PlannedCheckpoint } from './plan-checkpoints.ts';
import { TrainerStateScan } from './trainer-state.ts';

/** How far into a `trainer_state.json` its step is looked for, in bytes: a Trainer writes it before its log. */
const stateBytesMax = 64 * 1024 * 1024;

/**
 * The steps by folder, with those that a `trainer_state.json` among the uploaded files names for a checkpoint that has
 * none yet. The file of a long training is too large to be sent inside a commit. Reads it in pieces. Errors: those of
 * the store.
 */
export async function readStoredSteps(
  ctx: HubContext,
  repositoryId: string,
  known: ReadonlyMap<string, number>,
  { planned, added }: { readonly planned: readonly PlannedCheckpoint[]; readonly added: readonly AddedFile[] },
): Promise<ReadonlyMap<string, number>> {
  const steps = new Map(known);
  const files = new Map(added.map((file) => [file.path, file]));
  for (const { step, folder } of planned) {
    const file = files.get(`${folder}${folder === '' ? '' : '/'}trainer_state.json`);
    if (step !== undefined || steps.has(folder) || file === undefined) continue;
    const found = await storedStep(ctx, repositoryId, file);
    if (found !== undefined) steps.set(folder, found);
  }
  return steps;
}

async function storedStep(
  ctx: HubContext,
  repositoryId: string,
  { sha256, sizeBytes }: AddedFile,
): Promise<number | undefined> {
  const opened = await openBlob(ctx, repositoryId, sha256);
  try {
    const scan = new TrainerStateScan();
    for await (const piece of opened.stream(0, Math.min(sizeBytes, stateBytesMax))) {
      scan.push(piece);
      if (scan.step !== undefined) break;
    }
    return scan.step;
  } finally {
    await opened.close();
  }
}
