import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Job } from '../catalog/contract/work/job-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { problemKinds } from '../http/answer/problem-status.ts';
import { encodeJobKind, estimateJobKind } from '../ingest/ingest-context.ts';
import type { JobEvent } from '../jobs/job-event.ts';

type Log = Readonly<Record<'info' | 'warn' | 'error', (fields: object, text: string) => void>>;
type Records = Pick<Catalog, 'checkpoints' | 'runs' | 'repositories'>;

/**
 * Writes a job's event to the log. A failure names the repository, the run, the step and the reason, so that a reader
 * of the log knows whose checkpoint it is. It is an error only if the operator has to act; what is tried again, and
 * what only the uploader can mend, is a warning. Never rejects.
 */
export async function logJobEvent(event: JobEvent, catalog: Records, log: Log): Promise<void> {
  const { job } = event;
  if (event.kind !== 'failed' && event.kind !== 'trouble')
    return log.info({ event: event.kind, jobId: job?.id, subjectId: job?.subjectId }, 'job');
  const { error } = event;
  const isOver = event.kind === 'failed' && event.final;
  const waits = event.kind === 'failed' && (!isOver || isOfUploader(error));
  // A full disk is tried again, but stays full until somebody makes room.
  const level = waits && codeOf(error).code !== 'storage-full' ? 'warn' : 'error';
  const names = job === undefined ? {} : await namesOf(catalog, job).catch(() => ({}));
  const why = { reason: error instanceof Error ? error.message : String(error), ...codeOf(error) };
  log[level](
    { ...names, ...why, event: event.kind, jobId: job?.id, subjectId: job?.subjectId, err: error },
    textOf(event, isOver),
  );
}

function textOf({ kind, job }: JobEvent, isOver: boolean): string {
  if (kind !== 'failed') return 'a worker met an error';
  const what = job?.kind === encodeJobKind ? 'a checkpoint' : 'a job';
  return isOver ? `${what} failed` : `${what} could not be done and is tried again`;
}

/** Failures that only the uploader can mend, such as a graph without some weights; the checkpoint reports them. */
function isOfUploader(error: unknown): boolean {
  return error instanceof FirnError && problemKinds[error.code].status < 500;
}

function codeOf(error: unknown): { readonly code?: string } {
  return error instanceof FirnError ? { code: error.code } : {};
}

/** The names of what the job is about. */
async function namesOf(catalog: Records, { kind, subjectId }: Job): Promise<object> {
  const isOfCheckpoint = kind === encodeJobKind || kind === estimateJobKind;
  const checkpoint = isOfCheckpoint ? await catalog.checkpoints.get(subjectId) : undefined;
  const run = await catalog.runs.get(checkpoint?.runId ?? subjectId);
  const repository = run && (await catalog.repositories.get(run.repositoryId));
  return {
    ...(repository && { repository: `${repository.namespace}/${repository.name}` }),
    ...(run && { run: run.name }),
    ...(checkpoint && { step: checkpoint.step }),
  };
}
