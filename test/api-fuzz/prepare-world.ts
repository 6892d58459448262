import type { SeenAnswer } from './answer-rules.ts';
import type { FuzzWorld } from './fuzz-world.ts';
import { smallContents } from './small-contents.ts';

/** What a sequence finds. Each makes other operations possible from the first request on. */
export const preparations = [
  'nothing',
  'run',
  'open checkpoint',
  'ready checkpoint',
  'failed checkpoint',
  'tus upload',
  'upload in parts',
  'upload whose parts are there',
  'eval set',
  'webhook',
] as const;
export type Preparation = (typeof preparations)[number];

/** What the preparations do to a hub beside asking it. */
export interface PreparedHub {
  send(method: string, path: string, body?: object | Buffer, headers?: Record<string, string>): Promise<SeenAnswer>;
  encode(): Promise<void>;
  /** Ends the oldest waiting encode job as a failure. */
  fail(): Promise<void>;
}

const { bytes: model, sha256 } = smallContents[0]!;
const graph = Buffer.from('graph');

/** Makes what the sequence finds in the namespace of its world, and tells the world of it. */
export async function prepareWorld(hub: PreparedHub, world: FuzzWorld, prepared: Preparation): Promise<void> {
  if (prepared === 'nothing') return;
  const root = `/v1/repositories/${world.namespace}/a`;
  const checkpoint = `${root}/runs/a/checkpoints/0`;
  const learn = (operationId: string, answer: SeenAnswer): void =>
    world.learn(operationId, { ...answer, json: JSON.parse(answer.bytes.toString()) as unknown });
  const open = (): Promise<SeenAnswer> => hub.send('POST', `${root}/runs/a/checkpoints`, { step: 0 });
  await hub.send('POST', '/v1/repositories', { namespace: world.namespace, name: 'a' });
  await hub.send('POST', `${root}/runs`, { name: 'a' });
  switch (prepared) {
    case 'run':
      return;
    case 'open checkpoint':
      await open();
      return;
    case 'ready checkpoint':
    case 'failed checkpoint':
      await hub.send('PUT', checkpoint, model);
      await (prepared === 'ready checkpoint' ? hub.encode() : hub.fail());
      learn('getCheckpoint', await hub.send('GET', checkpoint));
      return;
    case 'tus upload': {
      await open();
      const tus = { 'tus-resumable': '1.0.0', 'upload-length': String(model.length) };
      const query = 'path=model.safetensors';
      learn('createFileUpload', await hub.send('POST', `${checkpoint}/uploads?${query}`, undefined, tus));
      return;
    }
    case 'upload in parts':
    case 'upload whose parts are there': {
      await open();
      const whole = { path: 'model.safetensors', sizeBytes: model.length, sha256 };
      const made = await hub.send('POST', `${checkpoint}/uploads`, whole);
      learn('createFileUpload', made);
      const { id } = JSON.parse(made.bytes.toString()) as { id: string };
      if (prepared === 'upload whose parts are there') await hub.send('PUT', `${root}/uploads/${id}/parts/1`, model);
      return;
    }
    case 'eval set': {
      const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
      await hub.send('POST', `${root}/eval-sets`, { name: 'a', spec });
      await hub.send('PUT', `${root}/eval-sets/a/graph`, graph);
      await hub.send('PUT', `${root}/eval-sets/a/batches`, model);
      await hub.send('POST', `${root}/eval-sets/a/commit`);
      return;
    }
    case 'webhook': {
      const made = await hub.send('POST', '/v1/webhooks', {
        namespace: world.namespace,
        url: 'https://ci.example/firn',
      });
      learn('createWebhook', made);
      const { id } = JSON.parse(made.bytes.toString()) as { id: string };
      learn('pingWebhook', await hub.send('POST', `/v1/webhooks/${id}/messages`));
      return;
    }
  }
}
