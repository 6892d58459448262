/** A string, or one of the non-numbers that Python's json module writes and JSON does not have. */
const stringOrNumberless = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * Parses JSON written by Python: NaN and infinities, which a diverged training run records as its loss, become null.
 * Throws SyntaxError as `JSON.parse`.
 */
export function parsePythonJson(text: string): unknown {
  return JSON.parse(text.replace(stringOrNumberless, (token) => (token.startsWith('"') ? token : 'null')));
}
