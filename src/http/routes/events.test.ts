import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { startServer, type RunningServer } from '../start-server.ts';

let gateway: TestGateway;
let call: Call;
let server: RunningServer;
const checkpoints = '/v1/repositories/acme/lm/runs/first/checkpoints';
const model = (seed: number): Buffer => safetensors({ w: { shape: [64], values: ramp(64, seed) } });

beforeAll(async () => {
  gateway = await openTestGateway();
  const app = createApp(gateway);
  call = caller(app);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', '/v1/repositories/acme/lm/runs', { name: 'first' });
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});

interface ServerEvent {
  id?: string;
  event: string;
  data: Record<string, unknown>;
}

/** The events in a text, without comments. */
const parse = (text: string): ServerEvent[] =>
  text
    .split('\n\n')
    .filter((part) => part.includes('event:'))
    .map((part) => {
      const fields = Object.fromEntries(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      return {
        ...(fields['id'] !== undefined && { id: fields['id'] }),
        event: fields['event']!,
        data: JSON.parse(fields['data']!),
      };
    });

const follow = (step: number, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}${checkpoints}/${step}/events`, init);

describe('events', () => {
  it('tells what happens to a checkpoint until it is ready', async () => {
    await call('PUT', `${checkpoints}/1`, model(1));
    const response = await follow(1);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const text = response.text();
    await gateway.encode();
    const events = parse(await text);
    const states = events.filter(({ event }) => event === 'state').map(({ data }) => data['state']);
    expect(states[0]).toBe('queued');
    expect(states.at(-1)).toBe('ready');
    expect(events.at(-1)!.data).toMatchObject({ state: 'ready', result: { fidelity: 'exact' } });
    expect(events.some(({ event, data }) => event === 'phase' && typeof data['phase'] === 'string')).toBe(true);
  });

  it('tells trials with ids, and only the new ones to whoever comes back', async () => {
    await call('PUT', `${checkpoints}/2`, model(2));
    const run = (await gateway.catalog.runs.find(
      (await gateway.catalog.repositories.find('acme', 'lm'))!.id,
      'first',
    ))!;
    const { id: checkpointId } = (await gateway.catalog.checkpoints.find(run.id, 2))!;
    const config = {
      method: 'inshrinkerator',
      embeddingBins: 16,
      pruneFraction: 0,
      pruneMetric: 'magnitude',
      protectFraction: 0.005,
    } as const;
    for (const [ordinal, bins] of [4, 6].entries()) {
      await gateway.catalog.trials.record({
        checkpointId,
        configKey: `k${bins}`,
        config: { ...config, bins },
        ordinal,
        search: 1,
        estimatedBytes: 10,
        device: 'cpu' as const,
        metrics: { loss: Number.NaN },
        degradation: { loss: Number.NaN },
        passed: false,
        seconds: 1,
      });
    }
    await gateway.encode();
    const all = parse(await (await follow(2)).text());
    expect(all.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'trial'],
      ['2', 'trial'],
      ['2', 'state'],
    ]);
    expect(all[0]!.data).toMatchObject({ number: 1, ordinal: 0, config: { bins: 4 }, metrics: { loss: null } });
    const rest = parse(await (await follow(2, { headers: { 'last-event-id': '1' } })).text());
    expect(rest.map(({ id }) => id)).toEqual(['2', '2']);
    const strange = parse(await (await follow(2, { headers: { 'last-event-id': 'whatever' } })).text());
    expect(strange).toHaveLength(3);
  });

  it('frees everything when the client leaves', async () => {
    await call('POST', checkpoints, { step: 3 });
    const leaving = new AbortController();
    const response = await follow(3, { signal: leaving.signal });
    const reader = response.body!.getReader();
    await reader.read();
    expect(gateway.progress.listenerCount()).toBe(1);
    leaving.abort();
    while (gateway.progress.listenerCount() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('ends when the server drains', async () => {
    const other = await startServer({
      app: createApp({ ...gateway, metrics: new Registry() }),
      host: '127.0.0.1',
      port: 0,
    });
    const response = await fetch(`${other.url}${checkpoints}/3/events`);
    const text = response.text();
    await other.close(30_000);
    expect(parse(await text)[0]).toMatchObject({ event: 'state', data: { state: 'open' } });
    expect(gateway.progress.listenerCount()).toBe(0);
  });

  it('knows only checkpoints that exist', async () => {
    expect((await follow(99)).status).toBe(404);
  });
});
