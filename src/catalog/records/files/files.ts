import { and, asc, eq, getTableColumns, gte, inArray, isNotNull, lt, ne, or, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { foldersOf, pathClash, pathClashError } from '../../../checkpoint/path-clash.ts';
import type { CheckpointFile, FileRecords } from '../../contract/file-records.ts';
import { markRawPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { filesHolding, holdOrigin } from './file-origins.ts';
import { leaveReleased } from '../hub/leave-files.ts';
import { stagedBytes } from '../staged-bytes.ts';
import { checkpointFiles as files, checkpoints } from '../../db/schema.ts';

/** Most rows of one insert: keeps the statement short and far below the protocol's 65535 parameters. */
const insertRowsMax = 500;

const columns = getTableColumns(files);

function digestList({ query }: Db) {
  const { path, sha256, gitSha1, resultSha256, resultBytes } = files;
  return query
    .select({ path, sha256, gitSha1, resultSha256, resultBytes })
    .from(files)
    .where(eq(files.checkpointId, sql.placeholder('checkpointId')))
    .orderBy(asc(path))
    .prepare('digests_of_files');
}

/** The text of the statement is made once: hub clients cause one for each file that they ask for. */
function listOf({ query }: Db) {
  return query
    .select(columns)
    .from(files)
    .where(eq(files.checkpointId, sql.placeholder('checkpointId')))
    .orderBy(asc(files.path))
    .prepare('files_of_checkpoint');
}

/** See `FileRecords`. */
export function fileRecords(db: Db): FileRecords {
  const { query } = db;
  let ofCheckpoint: ReturnType<typeof listOf> | undefined;
  let digestsOf: ReturnType<typeof digestList> | undefined;
  return {
    async announce(checkpointId, announced) {
      if (announced.length === 0) return [];
      return db.transaction(async (tx) => {
        await touchOpen(tx, checkpointId);
        const there = await tx.query
          .select({ path: files.path })
          .from(files)
          .where(eq(files.checkpointId, checkpointId));
        const clash = pathClash([...there, ...announced].map(({ path }) => path));
        if (clash !== undefined) throw pathClashError(clash);
        const added: CheckpointFile[] = [];
        for (let start = 0; start < announced.length; start += insertRowsMax) {
          const rows = announced.slice(start, start + insertRowsMax).map((file) => ({ ...file, checkpointId }));
          added.push(
            ...(await tx.query.insert(files).values(rows).onConflictDoNothing().returning(columns)).map(dropNulls),
          );
        }
        if (added.length < announced.length)
          throw new FirnError('conflict', 'A file path occurs twice, or the checkpoint has it already.');
        return added;
      });
    },
    async receive(checkpointId, { path, role, ...body }) {
      return db.transaction(async (tx) => {
        await touchOpen(tx, checkpointId);
        const [before] = await tx.query
          .select({ id: files.id })
          .from(files)
          .where(and(eq(files.checkpointId, checkpointId), eq(files.path, path)));
        if (before === undefined) await refuseClash(tx, checkpointId, path);
        await refusePendingDeletion(tx, [body.rawKey]);
        const replaced = await markRawPendingDeletion(
          tx,
          and(eq(files.checkpointId, checkpointId), eq(files.path, path), ne(files.rawKey, body.rawKey))!,
          'replaced',
        );
        const arrived = { gitSha1: null, ...body, received: true };
        await tx.query
          .insert(files)
          .values({ checkpointId, path, role: role ?? 'other', ...arrived })
          .onConflictDoUpdate({
            target: [files.checkpointId, files.path],
            set: { ...arrived, ...(role !== undefined && { role }) },
          });
        return replaced[0];
      });
    },
    async list(checkpointId) {
      return (await (ofCheckpoint ??= listOf(db)).execute({ checkpointId })).map(dropNulls);
    },
    async digests(checkpointId) {
      return (await (digestsOf ??= digestList(db)).execute({ checkpointId })).map(dropNulls);
    },
    async find(checkpointId, path) {
      const [found] = await query
        .select(columns)
        .from(files)
        .where(and(eq(files.checkpointId, checkpointId), eq(files.path, path)));
      return found && dropNulls(found);
    },
    async get(id) {
      const [found] = await query.select(columns).from(files).where(eq(files.id, id));
      return found && dropNulls(found);
    },
    holding: (repositoryId, digests) => filesHolding(db, repositoryId, digests),
    async setResults(checkpointId, results) {
      await db.transaction(async (tx) => {
        // Others before references: these may refer to files of the same checkpoint.
        const inOrder = [...results].sort(
          (a, b) => Number(a.storage === 'reference') - Number(b.storage === 'reference'),
        );
        for (const { path, ...result } of inOrder) {
          if (result.storage === 'reference') await holdOrigin(tx, checkpointId, result.originId);
          const set = await tx.query
            .update(files)
            .set(result)
            .where(and(eq(files.checkpointId, checkpointId), eq(files.path, path)))
            .returning({ id: files.id });
          if (set.length === 0) throw new FirnError('not-found', 'The checkpoint has no such file.', { detail: path });
        }
      });
    },
    async releaseRaw(checkpointId, paths) {
      return db.transaction(async (tx) => {
        const held = await tx.query
          .select({ id: files.id, storage: files.storage })
          .from(files)
          .where(and(eq(files.checkpointId, checkpointId), inArray(files.path, [...paths]), isNotNull(files.rawKey)))
          .for('update');
        if (held.some(({ storage }) => storage === 'raw'))
          throw new FirnError('conflict', 'A file is stored as it was uploaded; its bytes cannot be released.');
        const ids = held.map(({ id }) => id);
        const which = inArray(files.id, ids);
        const released = await markRawPendingDeletion(tx, which, 'released');
        await leaveReleased(tx, ids);
        await tx.query.update(files).set({ rawKey: null, rawStoredBytes: null }).where(which);
        return released;
      });
    },
    stagedBytes: (runId) => stagedBytes(db, runId),
  };
}

/**
 * Records a sign of life and locks the checkpoint, so that nobody can commit it meanwhile. `not-found`, or `conflict`
 * when it is not open.
 */
export async function touchOpen(tx: Db, checkpointId: string): Promise<void> {
  const touched = await tx.query
    .update(checkpoints)
    .set({ touchedAt: sql`now()` })
    .where(and(eq(checkpoints.id, checkpointId), eq(checkpoints.state, 'open')))
    .returning({ id: checkpoints.id });
  if (touched.length > 0) return;
  const [found] = await tx.query
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(eq(checkpoints.id, checkpointId));
  if (found === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  throw new FirnError('conflict', 'The checkpoint is closed; its files cannot change.');
}

/**
 * Throws if a path would be both a file and a folder: the new path is a folder of an existing file, or lies below one.
 * `touchOpen` holds the lock of the checkpoint.
 */
async function refuseClash(tx: Db, checkpointId: string, path: string): Promise<void> {
  // Paths below "a" sort between "a/" and "a0" ("0" follows the slash); paths compare byte by byte.
  const below = and(gte(files.path, `${path}/`), lt(files.path, `${path}0`));
  const folders = foldersOf(path);
  const [found] = await tx.query
    .select({ path: files.path })
    .from(files)
    .where(
      and(eq(files.checkpointId, checkpointId), folders.length === 0 ? below : or(below, inArray(files.path, folders))),
    )
    .limit(1);
  if (found !== undefined) throw pathClashError([path, found.path]);
}
