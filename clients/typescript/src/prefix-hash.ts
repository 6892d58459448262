import { Worker } from 'node:worker_threads';

/** Bytes read at once. */
const readBytes = 1024 * 1024;

/**
 * The program of the thread. It is a text, because a file would have another name once it is compiled or bundled. Each
 * message says how much of the file is there; the thread hashes that much, and after the last one answers with the
 * digest.
 */
const source = `
const { createHash } = require('node:crypto');
const { readSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { fd, readBytes } = workerData;
const hash = createHash('sha256');
const buffer = Buffer.allocUnsafe(readBytes);
let hashed = 0;
parentPort.on('message', ({ offset, isLast }) => {
  while (hashed < offset) {
    const bytes = readSync(fd, buffer, 0, Math.min(readBytes, offset - hashed), hashed);
    if (bytes === 0) throw new Error('The file became shorter while it was read.');
    hash.update(buffer.subarray(0, bytes));
    hashed += bytes;
  }
  if (!isLast) return;
  parentPort.postMessage(hash.digest('hex'));
  parentPort.close();
});
`;

/**
 * The SHA-256 of a file that is being received or sent, computed in a thread of its own. It hashes each piece as soon
 * as all bytes before it are there. So most of the work is done while later pieces are on their way, and the bytes are
 * read while the operating system still has them in memory.
 */
export class PrefixHash {
  readonly #worker: Worker;
  readonly #ended: Promise<string>;
  #announced = 0;

  /** `fd` stays open until `digest` or `stop` has settled. */
  constructor(fd: number) {
    this.#worker = new Worker(source, { eval: true, execArgv: [], workerData: { fd, readBytes } });
    this.#ended = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve).once('error', reject);
      this.#worker.once('exit', () => reject(new Error('The digest of the file was given up.')));
    });
    // `digest` rejects with it.
    this.#ended.catch(() => undefined);
  }

  /** The bytes before this offset are there and will not change. */
  advanceTo(offset: number): void {
    if (offset - this.#announced < readBytes) return;
    this.#announced = offset;
    this.#worker.postMessage({ offset, isLast: false });
  }

  /** The digest in hex of the first bytes of the file, all of which are there. */
  digest(sizeBytes: number): Promise<string> {
    this.#worker.postMessage({ offset: sizeBytes, isLast: true });
    return this.#ended;
  }

  /** Ends without a digest. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
