import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { MadeFile } from './made-file.ts';

/** Sends a file while it is generated; resolves to status and body of the answer. */
export async function sendFile(
  method: 'PUT' | 'POST',
  url: string,
  file: MadeFile,
): Promise<{ status: number; text: string }> {
  const req = request(url, {
    method,
    headers: { 'content-type': 'application/octet-stream', 'content-length': file.sizeBytes },
  });
  const answered = once(req, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  for (const piece of file.pieces()) {
    // Copy the piece: it is overwritten while this one is being sent.
    if (!req.write(Buffer.from(piece))) await Promise.race([once(req, 'drain'), answered]);
  }
  req.end();
  const [answer] = await answered;
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return { status: answer.statusCode!, text: Buffer.concat(parts).toString() };
}

/** Downloads a file and keeps only its digest. */
export async function receiveFile(url: string): Promise<{ status: number; sha256: string; sizeBytes: number }> {
  const req = request(url).end();
  const [answer] = (await once(req, 'response')) as [IncomingMessage];
  const digest = createHash('sha256');
  let sizeBytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    digest.update(part);
    sizeBytes += part.length;
  }
  return { status: answer.statusCode!, sha256: digest.digest('hex'), sizeBytes };
}
