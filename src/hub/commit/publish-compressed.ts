import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { HubCheckpoint } from '../../catalog/contract/hub/hub-checkpoint-records.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { stepTags } from '../checkpoints/step-tags.ts';
import { changeFolder, type PathChange } from '../tree/folder.ts';
import { pointerOid } from '../tree/git-object.ts';
import { serverAuthor } from '../hub-context.ts';
import { recordCommit } from './record-commit.ts';
import { commitSnapshot } from '../tree/resolve-revision.ts';
import { entryAt } from '../tree/snapshot.ts';

/** Checkpoints looked up in one query. */
const pageCheckpoints = 100;

/**
 * Publishes the results of all ready checkpoints that hub clients pushed and that were not published yet. Returns their
 * number. One that fails holds up no other: the first failure is thrown at the end.
 */
export async function publishWaiting(catalog: Catalog): Promise<number> {
  for (let count = 0; ;) {
    const ids = await catalog.hub.checkpoints.unpublished(pageCheckpoints);
    const failures: unknown[] = [];
    for (const id of ids) await publishCompressed(catalog, id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
    count += ids.length;
    if (ids.length < pageCheckpoints) return count;
  }
}

/**
 * Publishes the compressed form of a lossy checkpoint as a commit of its own, with the digests of its own files, that
 * says ratio and quality. The branch moves to it if it still shows the pushed files and the repository wants that;
 * later pushes are never undone. A tag leads to the other of both forms: `step-N-uploaded` or `step-N-compressed`. Does
 * nothing for an exact checkpoint, whose bytes are the pushed ones, and for one that was published before.
 */
export async function publishCompressed(catalog: Catalog, checkpointId: string): Promise<void> {
  await catalog.transaction(async (tx) => {
    const pushed = await tx.hub.checkpoints.find(checkpointId);
    if (pushed === undefined) return;
    await tx.hub.revisions.lock(pushed.repositoryId);
    const [record, checkpoint] = [await tx.hub.checkpoints.find(checkpointId), await tx.checkpoints.get(checkpointId)];
    if (record === undefined || record.publishedId !== undefined || checkpoint?.state !== 'ready') return;
    const changed = (await tx.files.list(checkpointId)).filter(
      (file) => file.resultSha256 !== undefined && file.resultSha256 !== file.sha256,
    );
    const commitId = changed.length === 0 ? record.commitId : await publish(tx, record, checkpoint, changed);
    await tx.hub.checkpoints.setPublished(checkpointId, commitId);
  });
}

async function publish(
  tx: Catalog,
  record: HubCheckpoint,
  checkpoint: Checkpoint,
  files: readonly CheckpointFile[],
): Promise<string> {
  const { repositoryId, branch } = record;
  const { revisions, blobs } = tx.hub;
  const pushed = await revisions.commit(repositoryId, record.commitId);
  // The commit was dropped with its branch: nobody can ask for its compressed form.
  if (pushed === undefined) return record.commitId;
  const ref = await revisions.ref(repositoryId, 'branch', branch);
  const head = ref && (await revisions.commit(repositoryId, ref.commitId));
  const isShown = head !== undefined && (await hasFiles(tx, head, record, files));
  const { hubSettings } = (await tx.repositories.get(repositoryId)) ?? {};
  const moves = isShown && hubSettings?.shows !== 'uploaded';
  const parent = moves ? head : pushed;
  const changes = files.map((file): PathChange => {
    const [sha256, sizeBytes] = [file.resultSha256!, file.resultBytes!];
    const entry = { sha256, sizeBytes, isLarge: true, oid: pointerOid(sha256, sizeBytes) };
    return { op: 'put', path: pathOf(record, file), file: entry };
  });
  for (const { id: fileId, resultSha256, resultBytes } of files)
    await blobs.addFile({ repositoryId, sha256: resultSha256!, sizeBytes: resultBytes!, fileId });
  const { rootId: treeId, trees } = await changeFolder(commitSnapshot(tx, parent).load, parent.treeId, changes);
  await revisions.putTrees(repositoryId, trees);
  const text = { repositoryId, treeId, parentId: parent.id, ...describe(checkpoint), author: serverAuthor };
  const commit = await recordCommit(tx, text);
  if (moves) await revisions.setRef(repositoryId, { kind: 'branch', name: branch, commitId: commit.id });
  const shows = hubSettings?.shows;
  await moveTags(tx, record, { checkpoint, pushedId: pushed.id, compressedId: commit.id, shows });
  return commit.id;
}

/** Whether a commit still has the pushed files at their paths. */
async function hasFiles(
  tx: Catalog,
  head: HubCommit,
  record: HubCheckpoint,
  files: readonly CheckpointFile[],
): Promise<boolean> {
  const snapshot = commitSnapshot(tx, head);
  for (const file of files) {
    const entry = await entryAt(snapshot, pathOf(record, file));
    if (entry?.kind !== 'file' || entry.sha256 !== file.sha256) return false;
  }
  return true;
}

function pathOf({ folder }: HubCheckpoint, { path }: CheckpointFile): string {
  return folder === '' ? path : `${folder}/${path}`;
}

/**
 * The tags of this checkpoint's step lead to what the repository shows; a second tag beside each leads to the other
 * form. Tags of other checkpoints of the same commit are theirs, and one that leads elsewhere stays as it is.
 */
async function moveTags(
  tx: Catalog,
  { repositoryId, branch, folder }: HubCheckpoint,
  {
    checkpoint: { runId, step },
    pushedId,
    compressedId,
    shows,
  }: {
    readonly checkpoint: Checkpoint;
    readonly pushedId: string;
    readonly compressedId: string;
    readonly shows: string | undefined;
  },
): Promise<void> {
  const { revisions } = tx.hub;
  const { name: runName } = (await tx.runs.get(runId))!;
  const showsUploaded = shows === 'uploaded';
  for (const name of stepTags({ branch, folder, runName, step })) {
    const tag = await revisions.ref(repositoryId, 'tag', name);
    if (tag?.commitId !== pushedId) continue;
    if (!showsUploaded) await revisions.setRef(repositoryId, { kind: 'tag', name, commitId: compressedId });
    const other = showsUploaded
      ? { name: `${name}-compressed`, commitId: compressedId }
      : { name: `${name}-uploaded`, commitId: pushedId };
    await revisions.setRef(repositoryId, { kind: 'tag', ...other });
  }
}

/** The message of the commit: ratio and quality. Pure. */
function describe({ step, result }: Checkpoint): { readonly title: string; readonly message: string } {
  const ratio = result === undefined ? '' : `, ${(result.rawBytes / result.storedBytes).toFixed(1)}x smaller`;
  const lines = Object.entries(result?.measured ?? {}).map(([metric, value]) => {
    const before = result?.baseline?.[metric];
    const change = result?.degradation?.[metric];
    const percent = change === undefined ? '' : ` (${change >= 0 ? '+' : ''}${(100 * change).toFixed(3)} %)`;
    return `${metric}: ${before?.toPrecision(6)} as pushed, ${value.toPrecision(6)} as stored${percent}`;
  });
  const stored = result === undefined ? [] : [`${result.storedBytes} bytes stored for ${result.rawBytes} pushed`];
  return { title: `Step ${step} compressed${ratio}`, message: [...stored, ...lines].join('\n') };
}
