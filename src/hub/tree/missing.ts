import { FirnError } from '../../checkpoint/firn-error.ts';

/** A branch, tag or commit that a repository does not have. Hub clients distinguish it from a missing file. */
export class MissingRevision extends FirnError {
  constructor(revision: string) {
    super('not-found', `There is no revision ${JSON.stringify(revision)} here.`);
  }
}

/** A path that a revision does not have. */
export class MissingEntry extends FirnError {
  /** The commit that was looked at; clients remember the absence under it. */
  readonly commitId: string;

  constructor(path: string, commitId: string, why?: string) {
    super('not-found', why ?? `There is no ${JSON.stringify(path)} at this revision.`);
    this.commitId = commitId;
  }
}
