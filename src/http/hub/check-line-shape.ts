import { FirnError } from '../../checkpoint/firn-error.ts';

/** Objects and lists inside each other: an operation is an object in an object, and newer clients may nest deeper. */
const depthMax = 4;
/** Objects, lists and their members: an operation has about eight, and newer clients may send more. */
const membersMax = 64;

/**
 * Refuses a line of JSON with more in it than an operation of a commit has, before it is parsed: a parser takes a
 * hundred bytes of memory, and much time, for each byte of `[[[[` or `{},{},`. What is inside strings does not count.
 * Whether the line is valid JSON is left to the parser. Costs one look at each byte. `invalid-request`.
 */
export function checkLineShape(line: Uint8Array): void {
  let depth = 0;
  let members = 0;
  let isString = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (isString) {
      if (byte === backslash) at++;
      else if (byte === quote) isString = false;
      continue;
    }
    if (byte === quote) isString = true;
    else if (byte === comma) members++;
    else if (byte === openBrace || byte === openBracket) {
      members++;
      depth++;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
    if (depth > depthMax || members > membersMax)
      throw new FirnError('invalid-request', 'A line of a commit has more in it than an operation.');
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const [openBrace, closeBrace] = [0x7b, 0x7d];
const [openBracket, closeBracket] = [0x5b, 0x5d];
