import { FirnError } from '../../checkpoint/firn-error.ts';

export interface Migration {
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * The files still to apply; both lists are in order. Migrations only go forward: the applied ones must be the first
 * files, unchanged. Throws `internal` for a badly named file, a gap in the numbers or a file that changed after it was
 * applied, and `unsupported-format` when the database has migrations that this version does not know.
 */
export function planMigrations(
  files: readonly Migration[],
  applied: readonly Pick<Migration, 'name' | 'sha256'>[],
): readonly Migration[] {
  files.forEach(({ name }, position) => {
    if (Number(fileName.exec(name)?.[1] ?? -1) !== position + 1)
      throw new FirnError('internal', `The migration ${name} is misnamed or out of order.`);
  });
  applied.forEach(({ name, sha256 }, position) => {
    const file = files[position];
    if (file?.name !== name)
      throw new FirnError(
        'unsupported-format',
        `The catalog was written by another version: it has the migration ${name}.`,
      );
    if (file.sha256 !== sha256)
      throw new FirnError('internal', `The migration ${name} was changed after it was applied.`);
  });
  return files.slice(applied.length);
}
