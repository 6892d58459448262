import { quoteName } from './words/quote-name.ts';
import type { FileRole } from './role.ts';

/** What is asked about a file of a ready checkpoint. */
interface Row {
  readonly path: string;
  readonly role: FileRole;
  /** Of the upload, while it is kept. */
  readonly rawKey?: string | undefined;
  readonly sha256?: string | undefined;
  /** Of what a download returns. */
  readonly resultSha256?: string | undefined;
}

export interface EstimableRows<R extends Row> {
  /** The upload is kept. */
  readonly kept: readonly R[];
  /** A download returns the bytes of the upload. */
  readonly rebuilt: readonly R[];
  /** What an estimate has to do without, in sentences. */
  readonly leftOut: readonly string[];
  /** Why there can be no estimate, in a sentence that says what to do. */
  readonly missing?: string;
}

/** Which files of a ready checkpoint can be compressed once more, from where, and what cannot. */
export function estimableRows<R extends Row>(rows: readonly R[]): EstimableRows<R> {
  const kept = rows.filter(({ rawKey }) => rawKey !== undefined);
  const gone = rows.filter(({ rawKey }) => rawKey === undefined);
  const rebuilt = gone.filter(({ sha256, resultSha256 }) => sha256 !== undefined && sha256 === resultSha256);
  const lost = gone.filter((row) => !rebuilt.includes(row));
  const model = lost.find(({ role }) => role === 'model');
  const leftOut = lost
    .filter(({ role }) => role !== 'model')
    .map(({ path, role }) =>
      role === 'sensitivity'
        ? `The gradients in ${quoteName(path)} are not kept, so steps do not follow them here.`
        : `${quoteName(path)} is left out, because its upload is not kept and a download returns other bytes.`,
    );
  return {
    kept,
    rebuilt,
    leftOut,
    ...(model !== undefined && {
      missing:
        `The uploaded bytes of ${quoteName(model.path)} are not kept any more: a run keeps those of its newest ready ` +
        'checkpoint while it is open. Ask about that one (latest), or push this one to a run of its own with the ' +
        'other threshold.',
    }),
  };
}
