import { createHash } from 'node:crypto';
import { get, request, type Agent } from 'node:http';

/** Pulls a file with several clients at once and discards it; seconds until the last client has all of it. */
export async function pullSeconds(url: string, clients: number, sizeBytes: number): Promise<number> {
  const startedMs = performance.now();
  const sizes = await Promise.all(Array.from({ length: clients }, () => pull(url, () => undefined)));
  const seconds = (performance.now() - startedMs) / 1000;
  if (sizes.some((size) => size !== sizeBytes)) throw new Error(`${url}: ${sizes.join(', ')} bytes`);
  return seconds;
}

/** Milliseconds until the first byte of an answer comes, and the longest between two of its pieces. */
export async function pullGaps(
  url: string,
  sizeBytes: number,
): Promise<{ readonly firstByteMs: number; readonly longestGapMs: number }> {
  const startedMs = performance.now();
  const arrivals: number[] = [];
  const bytes = await pull(url, () => arrivals.push(performance.now()));
  if (bytes !== sizeBytes) throw new Error(`${url}: ${bytes} bytes`);
  const gaps = arrivals.slice(1).map((at, i) => at - arrivals[i]!);
  return { firstByteMs: arrivals[0]! - startedMs, longestGapMs: gaps.reduce((most, gap) => Math.max(most, gap), 0) };
}

/** SHA-256 (hex) of an answer. */
export async function digestOf(url: string): Promise<string> {
  const hash = createHash('sha256');
  await pull(url, (piece) => hash.update(piece));
  return hash.digest('hex');
}

/** Milliseconds until a HEAD request is answered; follows no redirects. */
export function headMs(url: string, agent: Agent): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { method: 'HEAD', agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      answer
        .on('error', reject)
        .on('end', () => resolve(performance.now() - startedMs))
        .resume();
    })
      .on('error', reject)
      .end();
  });
}

function pull(url: string, onPiece: (piece: Uint8Array) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      let bytes = 0;
      answer
        .on('data', (piece: Uint8Array) => {
          bytes += piece.length;
          onPiece(piece);
        })
        .on('error', reject)
        .on('end', () => resolve(bytes));
    }).on('error', reject);
  });
}
