import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  filePath,
  findCheckpoint,
  findStep,
  FirnProblem,
  formatTarget,
  parseTarget,
  readRange,
  withRetries,
  type Hub,
} from '../../../../clients/typescript/src/index.ts';
import { runTarget } from '../session.ts';

/** One safetensors file that byte ranges are read of. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** `end` is exclusive. */
  read(start: number, end: number): Promise<Buffer>;
  close(): Promise<void>;
}

const weights = /\.safetensors$/;
/** A sensitivity, which is no weight. */
const sensitivity = /\.grad\.safetensors$/;

/**
 * The files with the weights of a checkpoint: a safetensors file or a folder on this disk, else a checkpoint of the
 * hub, of which nothing but ranges is fetched. `hub` is opened when it is needed. Throws an Error with one sentence.
 */
export async function openWeights(text: string, hub: () => Hub): Promise<ByteSource[]> {
  const found = await stat(text).catch(() => undefined);
  if (found !== undefined) return openLocal(text, found.isDirectory());
  if (parseTarget(text).run === undefined) throw new Error(`${text} names no run: write NAMESPACE/NAME/RUN@STEP.`);
  return openRemote(hub(), text);
}

async function openLocal(path: string, isFolder: boolean): Promise<ByteSource[]> {
  const names = isFolder ? (await readdir(path)).sort() : [''];
  const paths = names.map((name) => join(path, name)).filter((each) => !isFolder || isWeights(each));
  if (paths.length === 0) throw new Error(`There is no safetensors file in ${path}.`);
  return Promise.all(paths.map(openFile));
}

const isWeights = (path: string): boolean => weights.test(path) && !sensitivity.test(path);

async function openFile(path: string): Promise<ByteSource> {
  const handle = await open(path);
  const { size: sizeBytes } = await handle.stat();
  return {
    sizeBytes,
    async read(start, end) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      if (bytesRead !== end - start) throw new Error(`${path} became shorter while it was read.`);
      return buffer;
    },
    close: () => handle.close(),
  };
}

async function openRemote(hub: Hub, text: string): Promise<ByteSource[]> {
  const target = await findStep(hub, runTarget(text));
  const checkpoint = await findCheckpoint(hub, target);
  const files = (checkpoint?.files ?? []).filter(({ path, role }) => role === 'model' && isWeights(path));
  const ready = files.flatMap(({ path, rebuilt }) => (rebuilt === undefined ? [] : [{ path, rebuilt }]));
  if (ready.length === 0)
    throw new FirnProblem(checkpoint === undefined ? 404 : 409, {
      detail: `${formatTarget(target)} has no weights to read yet: it is ${checkpoint?.state ?? 'not there'}.`,
    });
  return ready.map(({ path, rebuilt }) => ({
    sizeBytes: rebuilt.sizeBytes,
    read: (start, end) =>
      withRetries(() => readRange(hub, { path: filePath(target, path), start, end, etag: undefined })),
    close: async () => undefined,
  }));
}
