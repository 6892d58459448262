import { createHash } from 'node:crypto';

/** How often the state of a checkpoint is asked for, and for how long, in milliseconds. */
const pollMs = 200;
const readyWithinMs = 600_000;

export interface StoredModel {
  readonly storedBytes: number;
  readonly kind: string;
}

/**
 * Pushes one safetensors file and a card as a client of hubs does, waits until it is stored, downloads it again and
 * compares it. Rejects with an Error if bytes differ or the checkpoint fails.
 */
export async function pushModel(
  url: string,
  id: string,
  { bytes, card }: { readonly bytes: Buffer; readonly card: string },
): Promise<StoredModel> {
  const [organization, name] = id.split('/');
  const oid = createHash('sha256').update(bytes).digest('hex');
  await ask(`${url}/api/repos/create`, { organization, name });
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
  const stored = await readyResult(`${url}/v1/repositories/${id}/runs/default/checkpoints/0`);
  const back = await (await answerOf(fetch(`${url}/${id}/resolve/main/model.safetensors`))).arrayBuffer();
  if (!bytes.equals(Buffer.from(back))) throw new Error(`${id} came back with other bytes`);
  return stored;
}

async function readyResult(address: string): Promise<StoredModel> {
  for (const end = Date.now() + readyWithinMs; Date.now() < end;) {
    const { state, result } = (await (await answerOf(fetch(address))).json()) as {
      state: string;
      result?: StoredModel;
    };
    if (state === 'ready' && result !== undefined) return result;
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
