import { FirnError } from '../checkpoint/firn-error.ts';

/** Says what a failure of the file system means to the caller; FirnErrors pass. Paths stay in `detail`. */
export function diskError(err: unknown): FirnError {
  if (err instanceof FirnError) return err;
  const code = (err as NodeJS.ErrnoException | undefined)?.code;
  const options = { detail: String(err), cause: err };
  switch (code) {
    case 'ENOENT': return new FirnError('not-found', 'A stored object is missing.', options);
    case 'EEXIST': return new FirnError('conflict', 'An object of this key exists.', options);
    // EFBIG: the file system's or the process's own bound on one file.
    case 'ENOSPC': case 'EDQUOT': case 'EFBIG': return new FirnError('storage-full', 'The storage is full.', options);
    case 'EMFILE': case 'ENFILE': return new FirnError('overloaded', 'Too many files are open.', options);
    default: return new FirnError('internal', 'The storage failed.', options);
  }
}
