import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet, EvalSetPart } from '../../catalog/contract/eval-set-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { UploadPiece, UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { Upload } from '../stage/upload.ts';
import { createEvalSetUpload, createFileUpload, type AnnouncedUpload } from './create-upload.ts';
import { receiveBytes, type NextBytes } from './receive-bytes.ts';
import { completeUpload, receivePart } from './receive-part.ts';

/** The verbs of uploads in several requests, bound to one context; each is described in its own file. */
export interface Resumable {
  createForFile(
    repository: Repository,
    file: { readonly checkpoint: Checkpoint; readonly path: string; readonly role?: FileRole },
    announced: AnnouncedUpload,
  ): Promise<UploadRecord>;
  createForEvalSet(evalSet: EvalSet, part: EvalSetPart, announced: AnnouncedUpload): Promise<UploadRecord>;
  receiveBytes(upload: UploadRecord, bytes: NextBytes): Promise<UploadRecord>;
  receivePart(upload: UploadRecord, number: number, part: Upload): Promise<UploadPiece>;
  complete(upload: UploadRecord): Promise<UploadRecord>;
  /** Ends an upload and discards its bytes. Its target keeps its earlier content. */
  end(upload: UploadRecord): Promise<void>;
}

export function createResumable(ctx: IngestContext): Resumable {
  return {
    createForFile: (repository, file, announced) => createFileUpload(ctx, repository.id, file, announced),
    createForEvalSet: (evalSet, part, announced) => createEvalSetUpload(ctx, evalSet, part, announced),
    receiveBytes: (upload, bytes) => receiveBytes(ctx, upload, bytes),
    receivePart: (upload, number, part) => receivePart(ctx, upload, number, part),
    complete: (upload) => completeUpload(ctx, upload),
    end: async ({ id }) => void (await ctx.catalog.uploads.end(id)),
  };
}
