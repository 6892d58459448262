/** A plain file server, to compare with: answers every GET with the file named by its argument. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const path = process.argv[2]!;
const { size } = statSync(path);
const server = createServer((_, answer) => {
  answer.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
  createReadStream(path).pipe(answer);
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
