/**
 * A process with a bare node:http server that does the minimum of a gateway's work: PUT streams a body to a file with
 * its sha256 and syncs it, GET streams the file. Its argument is the folder.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Bytes of one read, as in a gateway. */
const readBytes = 1024 * 1024;
const folder = process.argv[2]!;

async function take(req: IncomingMessage, path: string): Promise<string> {
  const file = await open(path, 'w');
  const digest = createHash('sha256');
  for await (const piece of req as AsyncIterable<Buffer>) {
    digest.update(piece);
    await file.write(piece);
  }
  await file.sync();
  await file.close();
  return digest.digest('hex');
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = join(folder, req.url!.replaceAll(/[^a-z0-9]/g, '_'));
  if (req.method === 'PUT') return void res.writeHead(202).end(await take(req, path));
  res.writeHead(200, { 'content-length': (await stat(path)).size });
  await pipeline(createReadStream(path, { highWaterMark: readBytes }), res);
}

const server = createServer((req, res) => {
  answer(req, res).catch(() => res.destroy());
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
