import { FirnError } from '../../checkpoint/firn-error.ts';

/**
 * The lines of a body as text, without the empty ones; the last needs no newline. Memory is at most twice the longest
 * line. `payload-too-large` for a longer line or body, before it has arrived whole.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  limits: { readonly lineBytesMax: number; readonly bodyBytesMax: number },
): AsyncGenerator<string> {
  // One buffer that grows: a list of the pieces would take a hundred times the memory when they are a byte each.
  let line = Buffer.alloc(lineBytesFirst);
  let lineBytes = 0;
  let bodyBytes = 0;
  const text = (): string => line.toString('utf8', 0, lineBytes).trim();
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.bodyBytesMax)
      throw new FirnError('payload-too-large', `A commit may have at most ${limits.bodyBytesMax} bytes.`);
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(newline, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      const sizeBytes = lineBytes + part.length;
      if (sizeBytes > limits.lineBytesMax)
        throw new FirnError('payload-too-large', `A line of a commit may have at most ${limits.lineBytesMax} bytes.`);
      if (sizeBytes > line.length)
        line = Buffer.concat([line.subarray(0, lineBytes)], Math.max(sizeBytes, 2 * line.length));
      line.set(part, lineBytes);
      lineBytes = sizeBytes;
      if (end === -1) break;
      const whole = text();
      [lineBytes, start] = [0, end + 1];
      if (whole !== '') yield whole;
    }
  }
  const rest = text();
  if (rest !== '') yield rest;
}

const newline = 0x0a;
/** Room for a line at first, in bytes: most lines are shorter. */
const lineBytesFirst = 64 * 1024;
