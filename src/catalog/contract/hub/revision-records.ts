/** A file or folder in a tree. */
export type TreeEntry = FileEntry | FolderEntry;
export interface FileEntry {
  readonly kind: 'file';
  readonly name: string;
  /** Git's id: of the bytes, or of the pointer that stands for them in git. */
  readonly oid: string;
  readonly sizeBytes: number;
  /** Digest of the bytes. */
  readonly sha256: string;
  /** Whether git would hold a pointer (Git LFS) instead of the bytes. */
  readonly isLarge: boolean;
}
export interface FolderEntry {
  readonly kind: 'folder';
  readonly name: string;
  /** Git's id of the folder's tree. */
  readonly oid: string;
}
/** A folder with its git id; entries in git's order. */
export interface Tree {
  readonly id: string;
  readonly entries: readonly TreeEntry[];
}
export interface HubCommit {
  readonly repositoryId: string;
  /** Git's id, 40 hex digits. */
  readonly id: string;
  readonly treeId: string;
  readonly parentId?: string;
  /** First line of the message. */
  readonly title: string;
  /** The rest; may be empty. */
  readonly message: string;
  readonly author: string;
  readonly createdAt: Date;
  /** Digest of the request that made it. */
  readonly requestSha256?: string;
}
export const refKinds = ['branch', 'tag'] as const;
export type RefKind = (typeof refKinds)[number];
export interface HubRef {
  readonly kind: RefKind;
  readonly name: string;
  readonly commitId: string;
}

/** Trees, commits and refs of repositories. Trees and commits never change. */
export interface RevisionRecords {
  /** Serializes changes of a repository's refs until the transaction ends. `not-found` once it is deleted. */
  lock(repositoryId: string): Promise<void>;
  trees(repositoryId: string, ids: readonly string[]): Promise<Tree[]>;
  putTrees(repositoryId: string, trees: readonly Tree[]): Promise<void>;
  commit(repositoryId: string, id: string): Promise<HubCommit | undefined>;
  /** Does nothing if the commit exists. */
  putCommit(commit: HubCommit): Promise<void>;
  /** A commit and its ancestors, newest first, at most `limit`. */
  history(repositoryId: string, id: string, limit: number): Promise<HubCommit[]>;
  /** Number of a commit and its ancestors, at most `max`. */
  historyLength(repositoryId: string, id: string, max: number): Promise<number>;
  ref(repositoryId: string, kind: RefKind, name: string): Promise<HubRef | undefined>;
  /** By kind and name. */
  refs(repositoryId: string): Promise<HubRef[]>;
  /** Creates the ref or moves it. */
  setRef(repositoryId: string, ref: HubRef): Promise<void>;
  /** Whether it existed. */
  deleteRef(repositoryId: string, kind: RefKind, name: string): Promise<boolean>;
  /** Deletes commits and trees that no ref leads to. Returns the digests of the files that the rest names. */
  dropUnreachable(repositoryId: string): Promise<string[]>;
  /** The secret that signs upload addresses; the same for all gateways. */
  secret(): Promise<string>;
}
