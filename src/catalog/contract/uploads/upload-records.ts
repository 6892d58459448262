import type { FileRole } from '../../../checkpoint/role.ts';
import type { EvalSetPart } from '../eval-set-records.ts';
import type { Page } from '../page.ts';

/** The target of an upload: a file of a checkpoint, or a part of an eval set. */
export interface UploadTarget {
  readonly checkpointId?: string;
  /** Path of the file. */
  readonly path?: string;
  /** Role of the file, if the client named one. */
  readonly role?: FileRole;
  readonly evalSetId?: string;
  readonly part?: EvalSetPart;
}

/** An upload in several requests. */
export interface UploadRecord extends UploadTarget {
  /** 32 hex digits. */
  readonly id: string;
  readonly repositoryId: string;
  readonly sizeBytes: number;
  /** Announced, in lower-case hex digits. */
  readonly sha256?: string;
  /** Size of each part except the last, if parts come in any order. Absent if the bytes come in order. */
  readonly partBytes?: number;
  /** The client's metadata, as sent. */
  readonly metadata?: string;
  /** Acknowledged bytes. Without parts, these are the first bytes of the upload. */
  readonly receivedBytes: number;
  readonly pieceCount: number;
  /** The target has the whole content. */
  readonly isComplete: boolean;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** An object with some bytes of an upload. */
export interface UploadPiece {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** With frame and checksums. */
  readonly storedBytes: number;
  readonly key: string;
  /** Digest of a part. */
  readonly sha256?: string;
}

type NewUpload = Omit<UploadRecord, 'id' | 'receivedBytes' | 'pieceCount' | 'isComplete' | 'expiresAt' | 'createdAt'>;
type Named = Pick<UploadRecord, 'id' | 'checkpointId'>;

/**
 * Uploads and their pieces. Deleting a piece's row marks its object for deletion. An upload ends with its checkpoint or
 * eval set. Every received byte counts as a sign of life of the checkpoint and extends the upload by `ttlMs`. Verbs
 * that name an upload reject with `not-found` when it is gone or expired, and with `upload-busy` while another request
 * may write to it.
 */
export interface UploadRecords {
  /** `conflict` when the checkpoint or eval set is not open, `overloaded` when it has `openMax` unfinished uploads. */
  create(upload: NewUpload, limits: { readonly openMax: number; readonly ttlMs: number }): Promise<UploadRecord>;
  /** An upload of the repository that has not expired; it does not expire while it is being finished. */
  find(repositoryId: string, id: string): Promise<UploadRecord | undefined>;
  /**
   * Makes `writer` the only one who can append; the previous writer can no longer. `conflict` when the upload is
   * complete or its bytes do not end at `offsetBytes`. Deletes pieces that were never acknowledged and returns their
   * keys.
   */
  claim(upload: Named, writer: string, offsetBytes: number): Promise<string[]>;
  /** Adds a piece after the others and acknowledges it. */
  append(upload: Named, writer: string, piece: UploadPiece, ttlMs: number): Promise<UploadRecord>;
  /** Adds the last piece and begins finishing. The piece is acknowledged only by `complete`. */
  appendLast(upload: Named, writer: string, piece: UploadPiece, finishMs: number): Promise<void>;
  /** Stores a part; returns the key that it replaces. `conflict` when the upload is complete. */
  putPart(upload: Named, piece: UploadPiece, ttlMs: number): Promise<string | undefined>;
  /**
   * Locks an upload with all its parts for `finishMs`; nothing can be added meanwhile. `upload-incomplete`, or
   * `conflict` when it is complete.
   */
  beginFinishing(upload: Named, writer: string, finishMs: number): Promise<void>;
  /** Extends the lock by `finishMs`, and the life of the upload and its checkpoint. */
  keepFinishing(
    upload: Named,
    writer: string,
    limits: { readonly finishMs: number; readonly ttlMs: number },
  ): Promise<void>;
  stopFinishing(upload: Named, writer: string): Promise<void>;
  /** Deletes the pieces' rows and returns their keys; the upload itself stays, as complete, until it expires. */
  complete(upload: Named, ttlMs: number): Promise<string[]>;
  /** By offset; `after` is an offset in decimal. */
  pieces(id: string, page: Page): Promise<UploadPiece[]>;
  /** Deletes an upload if it still exists and, if `writer` is given, still belongs to that writer. Returns its keys. */
  end(id: string, writer?: string): Promise<string[]>;
  /** Like `end`, for all uploads of a checkpoint. */
  endOf(checkpointId: string): Promise<string[]>;
  /** Like `end`, for at most `limit` expired uploads; returns their number, too. */
  endExpired(limit: number): Promise<{ readonly count: number; readonly keys: string[] }>;
}
