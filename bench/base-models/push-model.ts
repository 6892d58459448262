import { createHash } from 'node:crypto';

/** How often the state of a checkpoint is asked for, and for how long, in milliseconds. */
const pollMs = 200;
const readyWithinMs = 600_000;

export interface StoredModel {
  readonly storedBytes: number;
  readonly kind: string;
  /** By metric, of a lossy repository. */
  readonly degradation?: Readonly<Record<string, number>>;
}

interface ModelToPush {
  readonly bytes: Buffer;
  readonly card: string;
  /** Prepares the new repository; a lossy one comes back with the digest that the hub says, not the pushed bytes. */
  readonly makeLossy?: ((id: string) => Promise<void>) | undefined;
}

/**
 * Pushes one safetensors file and a card as a client of hubs does, waits until it is stored, downloads it again and
 * compares it. Rejects with an Error if bytes differ or the checkpoint fails.
 */
export async function pushModel(
  url: string,
  id: string,
  { bytes, card, makeLossy }: ModelToPush,
): Promise<StoredModel> {
  const [organization, name] = id.split('/');
  const oid = digestOf(bytes);
  await ask(`${url}/api/repos/create`, { organization, name });
  await makeLossy?.(id);
  const batch = { operation: 'upload', transfers: ['basic'], objects: [{ oid, size: bytes.length }] };
  const { objects } = (await ask(`${url}/${id}.git/info/lfs/objects/batch`, batch)) as {
    objects: { actions: { upload: { href: string } } }[];
  };
  await answerOf(fetch(objects[0]!.actions.upload.href, { method: 'PUT', body: new Uint8Array(bytes) }));
  const readme = { path: 'README.md', encoding: 'base64', content: Buffer.from(card).toString('base64') };
  const lines = [
    { key: 'header', value: { summary: 'step 0' } },
    { key: 'file', value: readme },
    { key: 'lfsFile', value: { path: 'model.safetensors', algo: 'sha256', oid, size: bytes.length } },
  ];
  await ask(`${url}/api/models/${id}/commit/main`, lines.map((line) => JSON.stringify(line)).join('\n'));
  const checkpoint = `${url}/v1/repositories/${id}/runs/default/checkpoints/0`;
  const { result, files } = await readyCheckpoint(checkpoint);
  const back = await (await answerOf(fetch(`${checkpoint}/files/model.safetensors`))).arrayBuffer();
  const rebuilt = files.find(({ path }) => path === 'model.safetensors')?.rebuilt?.sha256 ?? oid;
  if (digestOf(new Uint8Array(back)) !== (makeLossy === undefined ? oid : rebuilt))
    throw new Error(`${id} came back with other bytes`);
  return result;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface ReadyCheckpoint {
  readonly result: StoredModel;
  readonly files: readonly { readonly path: string; readonly rebuilt?: { readonly sha256: string } }[];
}

async function readyCheckpoint(address: string): Promise<ReadyCheckpoint> {
  for (const end = Date.now() + readyWithinMs; Date.now() < end;) {
    const { state, result, files } = (await (await answerOf(fetch(address))).json()) as {
      readonly state: string;
    } & Partial<ReadyCheckpoint>;
    if (state === 'ready' && result !== undefined && files !== undefined) return { result, files };
    if (state === 'failed') throw new Error(`${address} failed`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`${address} was not ready in time`);
}

async function ask(address: string, body: object | string): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  return (await answerOf(fetch(address, { method: 'POST', body: text, headers: { 'content-type': type } }))).json();
}

async function answerOf(asked: Promise<Response>): Promise<Response> {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return answer;
}
