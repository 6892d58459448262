import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseModelOf } from '../../hub/checkpoints/base-model.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { safetensors } from '../safetensors.test-support.ts';
import { file, header, HubClient, lfsFile, ok } from './hub-client.test-support.ts';

describe('the base model of a card', () => {
  it.each([
    ['---\nbase_model: acme/lm\n---\nText', 'acme/lm'],
    ['---\r\nlicense: mit\r\nbase_model: "acme/lm-2"\r\n---\r\n', 'acme/lm-2'],
    ['---\nbase_model:\n- acme/lm\n- acme/other\n---', 'acme/lm'],
    ["---\nbase_model: ['acme/lm', 'acme/other']\n---", 'acme/lm'],
    ['---\nlicense: mit\n---\nbase_model: acme/lm', undefined],
    ['base_model: acme/lm', undefined],
    ['---\nbase_model: gpt2\n---', undefined],
    ['---\nbase_model: ../../etc/passwd\n---', undefined],
    ['---\nbase_model: a/b/c\n---', undefined],
    ['', undefined],
  ])('of %j is %s', (card, expected) => {
    const found = baseModelOf(card);
    expect(found && `${found.namespace}/${found.name}`).toBe(expected);
  });
});

describe('a fine-tune', () => {
  let gateway: TestGateway;
  let call: Call;
  beforeAll(async () => {
    gateway = await openTestGateway();
    call = caller(createApp(gateway));
  });
  afterAll(() => gateway.close());

  const count = 4096;
  /** Weights that no coder makes small by themselves; `moved` of them differ. */
  const weights = (moved: number): Buffer => {
    let state = 12345;
    const values = Array.from({ length: count }, (_, i) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return Math.fround(state / 2 ** 32 - 0.5) + (i < moved ? 0.25 : 0);
    });
    return safetensors({ w: { shape: [64, 64], values } });
  };
  const push = async (id: string, bytes: Buffer, card: string): Promise<HubClient> => {
    const hub = await new HubClient(call, id).create();
    await hub.upload(bytes);
    await hub.commit([header('step 0'), file('README.md', card), lfsFile('model.safetensors', bytes)]);
    await gateway.encode();
    return hub;
  };
  const result = async (id: string): Promise<{ kind: string; storedBytes: number }> =>
    ok(await call('GET', `/v1/repositories/${id}/runs/default/checkpoints/0`)).json.result;

  it('is stored against its base, and outlives it', async () => {
    const base = await push('acme/base', weights(0), 'A base.');
    const tuned = weights(40);
    const hub = await push('acme/tuned', tuned, '---\nbase_model: acme/base\n---\n');
    await push('acme/alone', tuned, 'No base.');
    const [against, alone] = [await result('acme/tuned'), await result('acme/alone')];
    expect([against.kind, alone.kind]).toEqual(['delta', 'base']);
    expect(against.storedBytes).toBeLessThan(alone.storedBytes / 4);
    const run = ok(await call('GET', '/v1/repositories/acme/tuned/runs/default')).json;
    // The base is another repository's, which not every reader of this one may see.
    expect(run).not.toHaveProperty('forkedFrom');
    ok(await base.ask('DELETE', '/api/repos/delete', { name: 'base', organization: 'acme' }));
    expect((await call('GET', '/api/models/acme/base')).status).toBe(404);
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(tuned);
  });

  const deletedCard = { key: 'deletedFile', value: { path: 'README.md' } };
  it.each([
    { id: 'kept', title: 'of its branch builds on it', more: [], kind: 'delta' },
    {
      id: 'replaced',
      title: 'replaced with it is alone',
      more: [file('README.md', 'No base.')],
      kind: 'base',
    },
    { id: 'deleted', title: 'deleted with it is alone', more: [deletedCard], kind: 'base' },
  ])('whose base is in the card $title', async ({ id, more, kind }) => {
    await push(`acme/base-of-${id}`, weights(0), 'A base.');
    const hub = await new HubClient(call, `acme/card-${id}`).create();
    const card = `---\nbase_model: acme/base-of-${id}\n---\n`;
    await hub.commit([header('the card'), file('README.md', card)]);
    const tuned = weights(40);
    await hub.upload(tuned);
    await hub.commit([header('step 0'), ...more, lfsFile('model.safetensors', tuned)]);
    await gateway.encode();
    expect((await result(hub.id)).kind).toBe(kind);
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(tuned);
  });

  it('whose vocabulary grew is stored against what it has in common with its base', async () => {
    const grown = (rows: number, moved: number): Buffer => {
      let state = 999;
      const noise = (length: number): number[] =>
        Array.from({ length }, () => Math.fround((state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32));
      // As many as a block holds, so that the embedding shares none with it.
      const body = noise(131_072).map((value, i) => (i < moved ? value + 0.25 : value));
      return safetensors({
        body: { shape: [512, 256], values: body },
        embed: { shape: [rows, 16], values: noise(16 * rows) },
      });
    };
    await push('acme/small-vocabulary', grown(8, 0), 'A base.');
    const bytes = grown(10, 40);
    const hub = await push('acme/large-vocabulary', bytes, '---\nbase_model: acme/small-vocabulary\n---\n');
    await push('acme/large-alone', bytes, 'No base.');
    expect((await result('acme/large-vocabulary')).kind).toBe('delta');
    const stored = async (id: string): Promise<number> => (await result(id)).storedBytes;
    expect(await stored('acme/large-vocabulary')).toBeLessThan((await stored('acme/large-alone')) / 10);
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(bytes);
  });

  it('whose tensors have other names is stored against its base, and so are its later checkpoints', async () => {
    const matrix = (seed: number, moved: number, rows = 64): { shape: number[]; values: number[] } => {
      let state = seed;
      const values = Array.from({ length: 64 * rows }, (_, i) => {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0;
        return Math.fround(state / 2 ** 32 - 0.5) + (i < moved ? 0.25 : 0);
      });
      return { shape: [rows, 64], values };
    };
    await push(
      'acme/plain',
      safetensors({ 'embed.weight': matrix(1, 0), 'h.0.fc': matrix(2, 0), 'h.1.fc': matrix(3, 0) }),
      'A base.',
    );
    const named = (moved: number): Buffer =>
      safetensors({
        'model.embed.weight': matrix(1, moved, 66),
        'model.layers.0.up.weight': matrix(2, moved),
        'model.layers.1.up.weight': matrix(3, moved),
      });
    const hub = await push('acme/renamed', named(20), '---\nbase_model: acme/plain\n---\n');
    await push('acme/renamed-alone', named(20), 'No base.');
    const [against, alone] = [await result('acme/renamed'), await result('acme/renamed-alone')];
    expect([against.kind, alone.kind]).toEqual(['delta', 'base']);
    expect(against.storedBytes).toBeLessThan(alone.storedBytes / 6);
    const later = named(40);
    await hub.upload(later);
    await hub.commit([header('step 1'), lfsFile('model.safetensors', later)]);
    await gateway.encode();
    const next = ok(await call('GET', '/v1/repositories/acme/renamed/runs/default/checkpoints/1')).json.result;
    expect(next.kind).toBe('delta');
    expect(next.storedBytes).toBeLessThan(alone.storedBytes / 6);
    expect(await hub.bytes('step-0', 'model.safetensors')).toEqual(named(20));
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(later);
  });

  it('with other tensors than its base is stored by itself', async () => {
    await push('acme/wide', safetensors({ w: { shape: [2, 2], values: [1, 2, 3, 4] } }), 'A base.');
    const bytes = weights(3);
    const hub = await push('acme/other', bytes, '---\nbase_model: acme/wide\n---\n');
    expect((await result('acme/other')).kind).toBe('base');
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(bytes);
  });
});
