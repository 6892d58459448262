/** Most characters of a name repeated in a sentence. */
const quotedLengthMax = 80;

/** A name from an upload, fit for an error sentence: quoted, escaped, cut. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > quotedLengthMax ? `${name.slice(0, quotedLengthMax)}...` : name);
}
