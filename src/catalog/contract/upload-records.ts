import type { FileRole } from '../../checkpoint/role.ts';
import type { EvalSetPart } from './eval-set-records.ts';
import type { Page } from './page.ts';

/** What an upload becomes: a file of a checkpoint, or a part of an eval set. */
export interface UploadTarget {
  readonly checkpointId?: string;
  /** Of the file. */
  readonly path?: string;
  /** Of the file, where its client named one. */
  readonly role?: FileRole;
  readonly evalSetId?: string;
  readonly part?: EvalSetPart;
}

/** Bytes that come in several requests. */
export interface UploadRecord extends UploadTarget {
  /** 32 hex digits. */
  readonly id: string;
  readonly repositoryId: string;
  readonly sizeBytes: number;
  /** Announced, in lower-case hex digits. */
  readonly sha256?: string;
  /** Of each part but the last, where they come in any order. Absent where bytes come one after the other. */
  readonly partBytes?: number;
  /** Of its client, as it was sent. */
  readonly metadata?: string;
  /** Acknowledged bytes; where there are no parts those from the beginning on. */
  readonly receivedBytes: number;
  readonly pieceCount: number;
  /** What it was for has it. */
  readonly isComplete: boolean;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** An object with bytes of an upload. */
export interface UploadPiece {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** With frame and checksums. */
  readonly storedBytes: number;
  readonly key: string;
  /** Of a part. */
  readonly sha256?: string;
}

type NewUpload = Omit<UploadRecord, 'id' | 'receivedBytes' | 'pieceCount' | 'isComplete' | 'expiresAt' | 'createdAt'>;
type Named = Pick<UploadRecord, 'id' | 'checkpointId'>;

/**
 * Uploads and their pieces; pieces that are forgotten are marked for deletion. An upload ends with its checkpoint or
 * eval set. Everything that arrives is a sign of life of its checkpoint and gives the upload `ttlMs` more. Verbs that
 * name one reject with `not-found` when it is gone or expired, and with `upload-busy` while another request may write
 * it.
 */
export interface UploadRecords {
  /**
   * `conflict` when the checkpoint or eval set is not open, `overloaded` when it has `openMax` uploads that are not
   * complete.
   */
  create(upload: NewUpload, limits: { readonly openMax: number; readonly ttlMs: number }): Promise<UploadRecord>;
  /** One of the repository that has not expired; while it is being finished it does not. */
  find(repositoryId: string, id: string): Promise<UploadRecord | undefined>;
  /**
   * Makes `writer` the only one who can append; whoever could before no longer can. `conflict` when the upload is
   * complete or its bytes do not end at `offsetBytes`. Returns keys of pieces that were never acknowledged and are
   * forgotten now.
   */
  claim(upload: Named, writer: string, offsetBytes: number): Promise<string[]>;
  /** Adds a piece behind the others: it is acknowledged. */
  append(upload: Named, writer: string, piece: UploadPiece, ttlMs: number): Promise<UploadRecord>;
  /** Adds the last piece, which is acknowledged only with `complete`, and begins finishing. */
  appendLast(upload: Named, writer: string, piece: UploadPiece, finishMs: number): Promise<void>;
  /** Puts a part in its place; returns the key it replaces. `conflict` when the upload is complete. */
  putPart(upload: Named, piece: UploadPiece, ttlMs: number): Promise<string | undefined>;
  /**
   * Holds an upload whose parts are all there for `finishMs`; nothing can be added. `upload-incomplete`, or `conflict`
   * when it is complete.
   */
  beginFinishing(upload: Named, writer: string, finishMs: number): Promise<void>;
  /** Holds it longer, and lives longer with its checkpoint. */
  keepFinishing(
    upload: Named,
    writer: string,
    limits: { readonly finishMs: number; readonly ttlMs: number },
  ): Promise<void>;
  stopFinishing(upload: Named, writer: string): Promise<void>;
  /** Forgets the pieces and returns their keys; the upload is known as complete until it expires. */
  complete(upload: Named, ttlMs: number): Promise<string[]>;
  /** By offset; `after` is an offset in decimal. */
  pieces(id: string, page: Page): Promise<UploadPiece[]>;
  /** Forgets an upload, if it is still there, and where a writer is named still that one's; returns its keys. */
  end(id: string, writer?: string): Promise<string[]>;
  /** The same for all uploads of a checkpoint. */
  endOf(checkpointId: string): Promise<string[]>;
  /** The same for at most `limit` that have expired; returns how many, too. */
  endExpired(limit: number): Promise<{ readonly count: number; readonly keys: string[] }>;
}
