import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

const meanings: ReadonlyMap<unknown, readonly [code: FirnErrorCode, sentence: string]> = new Map<
  unknown,
  readonly [FirnErrorCode, string]
>([
  ['ENOENT', ['not-found', 'A stored object is missing.']],
  ['EEXIST', ['conflict', 'An object of this key exists.']],
  ['ENOSPC', ['storage-full', 'The storage is full.']],
  ['EDQUOT', ['storage-full', 'The storage is full.']],
  // The file system's, or the process's, limit on the size of one file.
  ['EFBIG', ['storage-full', 'The storage takes no file as large as this.']],
  ['EMFILE', ['overloaded', 'Too many files are open.']],
  ['ENFILE', ['overloaded', 'Too many files are open.']],
]);

/** Translates a failure of the file system; FirnErrors pass unchanged. Paths stay in `detail`. */
export function diskError(err: unknown): FirnError {
  if (err instanceof FirnError) return err;
  const [code, sentence] = meanings.get((err as NodeJS.ErrnoException | undefined)?.code) ?? [
    'internal',
    'The storage failed.',
  ];
  return new FirnError(code, sentence, { detail: String(err), cause: err });
}
