/** A string, or one of the numbers that Python's json module writes though JSON has none of them. */
const stringOrNumberless = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * JSON as Python writes it: NaN and infinities, which a diverged training run records as its loss, become null. Throws
 * SyntaxError as `JSON.parse`.
 */
export function parsePythonJson(text: string): unknown {
  return JSON.parse(text.replace(stringOrNumberless, (token) => (token.startsWith('"') ? token : 'null')));
}
