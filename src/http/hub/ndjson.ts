import { FirnError } from '../../checkpoint/firn-error.ts';

/**
 * The lines of a body as text, without the empty ones; the last needs no newline. Memory is at most one line.
 * `payload-too-large` for a longer line or body, before it has arrived whole.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  limits: { readonly lineBytesMax: number; readonly bodyBytesMax: number },
): AsyncGenerator<string> {
  let line: Uint8Array[] = [];
  let lineBytes = 0;
  let bodyBytes = 0;
  const text = (): string => Buffer.concat(line).toString('utf8').trim();
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.bodyBytesMax)
      throw new FirnError('payload-too-large', `A commit may have at most ${limits.bodyBytesMax} bytes.`);
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(newline, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      lineBytes += part.length;
      if (lineBytes > limits.lineBytesMax)
        throw new FirnError('payload-too-large', `A line of a commit may have at most ${limits.lineBytesMax} bytes.`);
      line.push(part);
      if (end === -1) break;
      const whole = text();
      [line, lineBytes, start] = [[], 0, end + 1];
      if (whole !== '') yield whole;
    }
  }
  const rest = text();
  if (rest !== '') yield rest;
}

const newline = 0x0a;
