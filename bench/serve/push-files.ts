import { randomFillSync } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HubProblem, type HubClient } from '../../src/cli/demo/hub-client.ts';
import { syntheticCheckpoints } from '../speed/synthetic-model.ts';

/** More than the most packages of a chain that the policy allows for this drift. */
const checkpoints = 14;
const drift = 0.04;
const pieceBytes = 1024 * 1024;
/** Size and row length of a tensor of bfloat16. */
const tensorBytes = 256 * 1024 * 1024;
const tensorColumns = 4096;

/** A stored file, and the bytes that a download of it has. */
export interface StoredFile {
  readonly name: string;
  /** Below the hub's address. */
  readonly path: string;
  /** The same bytes as an ordinary file. */
  readonly copy: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

interface CheckpointStatus {
  readonly state: string;
  readonly result?: { readonly chainLength: number };
}

const repository = '/v1/repositories/bench/serve';

/** Pushes a run of drifting models; resolves to its base and the end of its longest chain. */
export async function pushChain(client: HubClient, folder: string, layers: number): Promise<StoredFile[]> {
  const run = `${repository}/runs/default`;
  const search = { method: 'residual', fixedConfig: { method: 'residual', step: 0 } };
  await client.post('/v1/repositories', { namespace: 'bench', name: 'serve' });
  await client.post(`${repository}/runs`, { name: 'default', fidelity: 'lossy', search });
  const path = join(folder, 'model.safetensors');
  const byLength = new Map<number, StoredFile>();
  let step = 0;
  for (const file of syntheticCheckpoints({ layers, drift }, checkpoints)) {
    await writeFile(path, file);
    const status = await push(client, `${run}/checkpoints`, step, path, 'model.safetensors');
    const { chainLength } = status.result!;
    byLength.set(
      chainLength,
      await stored(client, `${run}/checkpoints/${step}`, 'model.safetensors', `depth ${chainLength}`, folder),
    );
    step++;
  }
  const lengths = [...byLength.keys()].sort((a, b) => a - b);
  return [byLength.get(lengths[0]!)!, byLength.get(lengths.at(-1)!)!];
}

/** Pushes a file of random bytes, which no coder makes smaller: it is stored as it is. */
export function pushNoise(client: HubClient, folder: string, sizeBytes: number): Promise<StoredFile> {
  const fill = (piece: Buffer): Buffer => randomFillSync(piece);
  return pushFilled(client, folder, { name: 'raw', file: 'filled.bin', head: Buffer.alloc(0), sizeBytes, fill });
}

/**
 * Pushes a safetensors file of bfloat16 tensors whose signs and exponents have few values, as those of a model do, and
 * whose mantissas are random: its package is smaller, and a download decodes every block.
 */
export function pushWeights(client: HubClient, folder: string, sizeBytes: number): Promise<StoredFile> {
  const tensors = Math.ceil(sizeBytes / tensorBytes);
  const names = Array.from({ length: tensors }, (_, i) => `layers.${i}.weight`);
  const header = Buffer.from(
    JSON.stringify(
      Object.fromEntries(
        names.map((name, i) => [
          name,
          {
            dtype: 'BF16',
            shape: [tensorBytes / 2 / tensorColumns, tensorColumns],
            data_offsets: [i * tensorBytes, (i + 1) * tensorBytes],
          },
        ]),
      ),
    ),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return pushFilled(client, folder, {
    name: 'weights',
    file: 'model.safetensors',
    head: Buffer.concat([length, header]),
    sizeBytes: tensors * tensorBytes,
    fill: fillWeights,
  });
}

/** Exponents near 2^-6 with either sign, each half as often as the one above it. */
const highBytes = Buffer.from([
  0x3c, 0xbc, 0x3c, 0xbc, 0x3c, 0xbc, 0x3c, 0xbc, 0x3b, 0xbb, 0x3b, 0xbb, 0x3a, 0xba, 0x39, 0xb9,
]);

function fillWeights(piece: Buffer): Buffer {
  randomFillSync(piece);
  for (let at = 1; at < piece.length; at += 2) piece[at] = highBytes[piece[at]! & 15]!;
  return piece;
}

interface Filled {
  readonly name: string;
  /** Path in the checkpoint. */
  readonly file: string;
  /** Bytes before those of `fill`. */
  readonly head: Buffer;
  readonly sizeBytes: number;
  readonly fill: (piece: Buffer) => Buffer;
}

async function pushFilled(client: HubClient, folder: string, filled: Filled): Promise<StoredFile> {
  const path = join(folder, filled.file);
  const file = await open(path, 'w');
  await file.write(filled.head);
  for (let at = 0; at < filled.sizeBytes; at += pieceBytes)
    await file.write(filled.fill(Buffer.alloc(Math.min(pieceBytes, filled.sizeBytes - at))));
  await file.close();
  const run = `${filled.name}-${filled.sizeBytes}`;
  const checkpoints = `${repository}/runs/${run}/checkpoints`;
  await client.post('/v1/repositories', { namespace: 'bench', name: 'serve' }).catch(unlessThere);
  await client.post(`${repository}/runs`, { name: run, fidelity: 'exact' });
  await push(client, checkpoints, 0, path, filled.file);
  await rm(path);
  return stored(client, `${checkpoints}/0`, filled.file, run, folder);
}

function unlessThere(error: unknown): void {
  if (!(error instanceof HubProblem) || error.status !== 409) throw error;
}

async function push(
  client: HubClient,
  to: string,
  step: number,
  path: string,
  name: string,
): Promise<CheckpointStatus> {
  await client.post(to, { step });
  await client.putFile(`${to}/${step}/files/${name}`, path);
  await client.post(`${to}/${step}/commit`);
  for await (const _ of client.events(`${to}/${step}/events`)) void _;
  const status = await client.get<CheckpointStatus>(`${to}/${step}`);
  if (status.state !== 'ready') throw new Error(`step ${step} is ${status.state}`);
  return status;
}

/** Downloads the file once, compares it with its announced digest, and keeps it for the bare server. */
async function stored(client: HubClient, at: string, name: string, label: string, folder: string): Promise<StoredFile> {
  const path = `${at}/files/${name}`;
  const copy = join(folder, label.replaceAll(' ', '-'));
  const { sha256, announced, sizeBytes } = await client.download(path, copy);
  if (sha256 !== announced) throw new Error(`${path}: ${sha256} came, ${announced} was announced`);
  return { name: label, path, copy, sizeBytes, sha256 };
}
