import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenAccess } from '../../../access/access.ts';
import { createToken } from '../../../access/create-token.ts';
import { operator } from '../../../access/principal.ts';
import { parseGrant } from '../../../checkpoint/grant.ts';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { safetensors } from '../../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
let admin: { authorization: string };
const base = { namespace: 'acme', name: 'lm' };
const weightCount = 4096;

beforeAll(async () => {
  gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), trustProxy: false }),
  });
  call = caller(createApp(gateway));
  admin = await tokenOf('admin');
  await make('acme/lm', { name: 'pretraining' });
  await push('acme/lm/runs/pretraining', 10, weights(0));
  await push('acme/lm/runs/pretraining', 20, weights(8));
});
afterAll(() => gateway.close());

async function tokenOf(...grants: string[]): Promise<{ authorization: string }> {
  const input = { name: 'test', grants: grants.map(parseGrant) };
  const { text } = await createToken(gateway.catalog, operator, input);
  return { authorization: `Bearer ${text}` };
}

/** A model that no coder makes small by itself; `moved` of its weights differ. */
function weights(moved: number): Buffer {
  let state = 12345;
  const values = Array.from({ length: weightCount }, (_, i) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.fround(state / 2 ** 32 - 0.5) + (i < moved ? 0.25 : 0);
  });
  return safetensors({ w: { shape: [64, 64], values } });
}

/** Makes a repository and a run of it. */
async function make(id: string, run: object) {
  const [namespace, name] = id.split('/');
  await call('POST', '/v1/repositories', { namespace, name }, admin);
  return call('POST', `/v1/repositories/${id}/runs`, run, admin);
}

/** The status of a checkpoint of one file, once it is compressed. */
async function push(run: string, step: number, bytes: Buffer) {
  const path = `/v1/repositories/${run}/checkpoints`;
  await call('POST', path, { step }, admin);
  await call('PUT', `${path}/${step}/files/model.safetensors`, bytes, admin);
  const committed = await call('POST', `${path}/${step}/commit`, undefined, admin);
  if (committed.status !== 202) return committed.json;
  await gateway.encode();
  return (await call('GET', `${path}/${step}`, undefined, admin)).json;
}

it.each([
  { title: 'the step it names', at: { run: 'pretraining', step: 10 } },
  { title: 'the newest of the run it names', at: { run: 'pretraining' } },
  { title: 'the newest of what the main branch shows', at: {} },
])('stores the first checkpoint of a run against $title', async ({ title, at }) => {
  const id = `acme/tuned-${title.length}`;
  expect(await make(id, { name: 'tune', baseModel: { ...base, ...at } })).toMatchObject({ status: 201 });
  await make(`${id}-alone`, { name: 'tune' });
  const tuned = weights(40);
  const [against, alone] = [await push(`${id}/runs/tune`, 0, tuned), await push(`${id}-alone/runs/tune`, 0, tuned)];
  expect([against.result.kind, alone.result.kind]).toEqual(['delta', 'base']);
  expect(against.result.storedBytes).toBeLessThan(alone.result.storedBytes / 4);
  const run = (await call('GET', `/v1/repositories/${id}/runs/tune`, undefined, admin)).json;
  // Who reads the run may not be allowed to see the base.
  expect(run).not.toHaveProperty('forkedFrom');
});

it('refuses the first checkpoint if its tensors are others', async () => {
  await make('acme/other', { name: 'tune', baseModel: base });
  const refused = await push('acme/other/runs/tune', 0, safetensors({ w: { shape: [2], values: [1, 2] } }));
  expect(refused.code).toBe('layout-mismatch');
});

it('looks alike whether a base model is missing or may not be read', async () => {
  await make('beta/tuned', { name: 'own' });
  const token = await tokenOf('write:beta');
  const ask = (baseModel: object) =>
    call('POST', '/v1/repositories/beta/tuned/runs', { name: 'tune', baseModel }, token);
  const [hidden, missing] = [await ask(base), await ask({ ...base, name: 'nothing' })];
  expect(hidden.status).toBe(404);
  expect({ ...hidden.json, requestId: '' }).toEqual({ ...missing.json, requestId: '' });
  const open = await make('beta/tuned', { name: 'open', baseModel: { ...base, run: 'nothing' } });
  expect([open.status, open.json.code]).toEqual([404, 'not-found']);
});

it('needs a step that is compressed, and no fork point beside it', async () => {
  await make('acme/waiting', { name: 'run' });
  await call('POST', '/v1/repositories/acme/waiting/runs/run/checkpoints', { step: 5 }, admin);
  const waiting = { namespace: 'acme', name: 'waiting', run: 'run' };
  const early = await make('acme/early', { name: 'tune', baseModel: { ...waiting, step: 5 } });
  expect(early.json.code).toBe('checkpoint-not-ready');
  const none = await make('acme/early', { name: 'tune', baseModel: waiting });
  expect(none.json.code).toBe('not-found');
  const both = await make('acme/early', { name: 'tune', baseModel: base, forkFrom: { run: 'pretraining', step: 10 } });
  expect([both.status, both.json.code]).toEqual([400, 'invalid-request']);
});
