import type { FileEntry, HubCommit, HubRef, RefKind } from '../catalog/contract/hub/revision-records.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Repository, RepositoryType, Visibility } from '../catalog/contract/repository-records.ts';
import type { Upload } from '../ingest/stage/upload.ts';
import type { OpenedFile } from '../restore/downloads.ts';
import { changeRepository, type RepositoryChange } from './change-repository.ts';
import { commitChanges, type CommitInput, type CommitOutcome } from './commit/commit-changes.ts';
import { deleteRepository } from './delete-repository.ts';
import { type HubContext, mainBranch } from './hub-context.ts';
import { readCard } from './checkpoints/read-card.ts';
import { checkEntry, openEntry } from './tree/open-blob.ts';
import { receiveBlob, type AnnouncedBlob } from './upload/receive-blob.ts';
import { BlobBatch } from './upload/blob-batch.ts';
import { completeParts, receivePart, type AnnouncedPart } from './upload/receive-parts.ts';
import { receiveShard, type ShardOptions } from './upload/receive-shard.ts';
import { receiveXorb } from './upload/receive-xorb.ts';
import { createRef, deleteRef, emptyCommit, listRefs, type NewRef, squashBranch } from './commit/refs.ts';
import type { Snapshot } from './tree/snapshot.ts';

/** The verbs of hub clients, bound to one context; each is described in its own file. */
export interface Hub {
  createRepository(input: {
    readonly namespace: string;
    readonly name: string;
    readonly type: RepositoryType;
    readonly visibility: Visibility;
  }): Promise<Repository>;
  deleteRepository(repository: Repository, precondition?: Precondition): Promise<void>;
  receiveBlob(
    repository: Repository,
    announced: AnnouncedBlob,
    upload: Upload,
  ): Promise<{ readonly sha256: string; readonly sizeBytes: number }>;
  /** For many small files, which are stored together. */
  openBlobBatch(repository: Repository): Promise<BlobBatch>;
  receivePart(repository: Repository, part: AnnouncedPart, upload: Upload): Promise<void>;
  completeParts(repository: Repository, file: Omit<AnnouncedPart, 'number'>, signal?: AbortSignal): Promise<void>;
  /** False if the repository has it already. */
  receiveXorb(repository: Repository, hash: string, upload: Upload): Promise<boolean>;
  receiveShard(repository: Repository, bytes: Uint8Array, options?: ShardOptions): Promise<void>;
  readCard(repository: Repository, shown: string | Snapshot): Promise<string | undefined>;
  commitChanges(repository: Repository, input: CommitInput): Promise<CommitOutcome>;
  openEntry(
    repositoryId: string,
    which: { readonly snapshot: Snapshot; readonly path: string; readonly entry: FileEntry },
  ): Promise<OpenedFile>;
  checkEntry(repositoryId: string, which: { readonly snapshot: Snapshot; readonly entry: FileEntry }): Promise<void>;
  changeRepository(repository: Repository, change: RepositoryChange, precondition?: Precondition): Promise<Repository>;
  listRefs(repository: Repository): Promise<HubRef[]>;
  createRef(repository: Repository, ref: NewRef): Promise<void>;
  deleteRef(repository: Repository, kind: RefKind, name: string): Promise<void>;
  squashBranch(
    repository: Repository,
    branch: string,
    text: { readonly title: string; readonly author: string },
  ): Promise<HubCommit>;
}

export function createHub(ctx: HubContext): Hub {
  return {
    createRepository: (input) =>
      ctx.catalog.transaction(async (tx) => {
        const repository = await tx.repositories.create(input);
        const { id: commitId } = await emptyCommit(tx, repository);
        await tx.hub.revisions.setRef(repository.id, { kind: 'branch', name: mainBranch, commitId });
        return repository;
      }),
    deleteRepository: (repository, precondition) => deleteRepository(ctx, repository, precondition),
    receiveBlob: (repository, announced, upload) => receiveBlob(ctx, repository.id, announced, upload),
    openBlobBatch: async (repository) => new BlobBatch(ctx, repository.id),
    receivePart: (repository, part, upload) => receivePart(ctx, repository.id, part, upload),
    completeParts: (repository, file, signal) => completeParts(ctx, repository.id, file, signal),
    receiveXorb: (repository, hash, upload) => receiveXorb(ctx, repository.id, hash, upload),
    receiveShard: (repository, bytes, options) => receiveShard(ctx, repository.id, bytes, options),
    readCard: (repository, shown) => readCard(ctx, repository, shown),
    commitChanges: (repository, input) => commitChanges(ctx, repository, input),
    openEntry: (repositoryId, which) => openEntry(ctx, repositoryId, which),
    checkEntry: (repositoryId, which) => checkEntry(ctx, repositoryId, which),
    changeRepository: (repository, change, precondition) =>
      changeRepository(ctx.catalog, repository, change, precondition),
    listRefs: (repository) => listRefs(ctx.catalog, repository),
    createRef: (repository, ref) => createRef(ctx, repository, ref),
    deleteRef: (repository, kind, name) => deleteRef(ctx, repository, kind, name),
    squashBranch: (repository, branch, text) => squashBranch(ctx, repository, branch, text),
  };
}
