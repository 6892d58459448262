import { FirnError } from '../../checkpoint/firn-error.ts';

export interface LineLimits {
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  /** Lines, the empty ones too: an empty line costs a byte to send, and work to pass over. */
  readonly linesMax: number;
}

/**
 * The lines of a body as bytes, without the empty ones and without white space around them; the last needs no newline.
 * A line is valid until the next one is asked for. Memory is at most twice the longest line. `payload-too-large` for a
 * longer line or body, or for more lines, before it has arrived whole.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  { lineBytesMax, bodyBytesMax, linesMax }: LineLimits,
): AsyncGenerator<Buffer> {
  // The beginning of a line that goes on in the next piece. It is one buffer that grows: a list of the pieces would
  // take a hundred times the memory when they are a byte each.
  let begun = Buffer.alloc(lineBytesFirst);
  let begunBytes = 0;
  let bodyBytes = 0;
  let lines = 0;
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > bodyBytesMax) throw tooLarge(`A commit may have at most ${bodyBytesMax} bytes.`);
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let start = 0; start < piece.length;) {
      const found = piece.indexOf(newline, start);
      const end = found === -1 ? piece.length : found;
      const sizeBytes = begunBytes + end - start;
      if (sizeBytes > lineBytesMax) throw tooLarge(`A line of a commit may have at most ${lineBytesMax} bytes.`);
      if (found !== -1 && ++lines > linesMax) throw tooLarge(`A commit may have at most ${linesMax} lines.`);
      const isWhole = begunBytes === 0 && found !== -1;
      if (!isWhole) {
        if (sizeBytes > begun.length)
          begun = Buffer.concat([begun.subarray(0, begunBytes)], Math.max(sizeBytes, 2 * begun.length));
        piece.copy(begun, begunBytes, start, end);
        begunBytes = sizeBytes;
        if (found === -1) break;
      }
      const line = isWhole ? trimmed(piece, start, end) : trimmed(begun, 0, sizeBytes);
      [begunBytes, start] = [0, end + 1];
      if (line !== undefined) yield line;
    }
  }
  const rest = trimmed(begun, 0, begunBytes);
  if (rest !== undefined) yield rest;
}

/** The bytes from `start` to before `end` without white space around them; undefined if they are nothing else. */
function trimmed(bytes: Buffer, start: number, end: number): Buffer | undefined {
  while (start < end && isSpace(bytes[start]!)) start++;
  while (start < end && isSpace(bytes[end - 1]!)) end--;
  return start === end ? undefined : bytes.subarray(start, end);
}

/** The white space of JSON, without the newline. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function tooLarge(sentence: string): FirnError {
  return new FirnError('payload-too-large', sentence);
}

const newline = 0x0a;
/** Room for a line at first, in bytes: most lines are shorter. */
const lineBytesFirst = 64 * 1024;
