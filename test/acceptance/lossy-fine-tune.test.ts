import { afterAll, beforeAll, expect, test } from 'vitest';
import { classifierFile, classifierRows, classifierWeights, measure, weightsOf } from './classifier.ts';
import { createClassifierSet, createRepository } from './hub-fixtures.ts';
import { HubApi, sha256, type Json } from './hub-api.ts';
import { pushAsClient } from './push-as-client.ts';
import { startHub, type Hub } from './start-hub.ts';

const rows = classifierRows(classifierWeights(1));
const threshold = 0.005;
/** The hub computes in single precision, the test in double. */
const tolerance = 1e-4;
/** Longest wait for a checkpoint, in ms. */
const readyMs = 120_000;
const model = 'model.safetensors';

let hub: Hub;
let api: HubApi;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  await createRepository(api, 'base');
  await push('acme/base', classifierWeights(0), 'A base model.');
}, 330_000);
afterAll(() => hub?.stop());

async function push(id: string, weights: ReturnType<typeof classifierWeights>, card: string): Promise<Json> {
  const large = { [model]: classifierFile(weights) };
  await pushAsClient(hub.url, { id, summary: 'step 0', large, small: { 'README.md': card } });
  const path = `/v1/repositories/${id}/runs/default/checkpoints/0`;
  const last = (await api.events(path)).at(-1);
  expect(last).toMatchObject({ event: 'state', data: { state: 'ready' } });
  return api.read(path);
}

/** A repository that quantizes weights, inside a threshold of its own eval set. */
async function lossyRepository(name: string): Promise<string> {
  const repository = await createRepository(api, name);
  await createClassifierSet(api, repository, rows);
  const answer = await fetch(hub.url + repository, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hub: { fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss: threshold } } }),
  });
  expect(answer.status).toBe(200);
  return `acme/${name}`;
}

test(
  'a lossy fine-tune of an exact base is stored against it: fewer bytes, inside its threshold, with what was trained',
  { timeout: readyMs },
  async () => {
    const [base, tuned] = [classifierWeights(0), classifierWeights(3)];
    const card = '---\nbase_model: acme/base\n---\n';
    const against = await push(await lossyRepository('tuned'), tuned, card);
    const alone = await push(await lossyRepository('alone'), tuned, 'No base.');
    expect(against.result).toMatchObject({ fidelity: 'lossy', kind: 'delta', chainLength: 2 });
    expect(alone.result).toMatchObject({ fidelity: 'lossy', kind: 'base' });
    expect(against.result.storedBytes).toBeLessThan(alone.result.storedBytes);

    const file = (await api.get('/v1/repositories/acme/tuned/runs/default/checkpoints/0/files/model.safetensors'))
      .bytes;
    expect(sha256(file)).toBe(against.files.find(({ path }: Json) => path === model).rebuilt.sha256);
    const rebuilt = weightsOf(file);
    const [before, after] = [measure(tuned, rows).loss, measure(rebuilt, rows).loss];
    expect((after - before) / before).toBeLessThanOrEqual(threshold + tolerance);
    // Most of what was trained since the base is there.
    const distance = (from: typeof base): number =>
      (['embed.weight', 'fc1.weight', 'fc2.weight'] as const).reduce(
        (sum, name) => sum + from[name].reduce((more, x, i) => more + (x - rebuilt[name][i]!) ** 2, 0),
        0,
      );
    expect(distance(tuned)).toBeLessThan(distance(base));
  },
);
