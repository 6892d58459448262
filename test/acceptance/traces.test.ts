import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { classifierFile, classifierRows, classifierWeights } from './classifier.ts';
import { createClassifierSet, createRepository, createRun, smallSearch, unguarded } from './hub-fixtures.ts';
import { HubApi, readJson, type Answer, type Json } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from './trace-receiver.ts';

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpan = '00f067aa0ba902b7';
const route = '/v1/repositories/:namespace/:name/runs/:run/checkpoints/:step';
const model = classifierFile(classifierWeights(1));
/** A hub under test may start on a busy machine. */
const timeoutMs = 180_000;

describe('traces', () => {
  let receiver: TraceReceiver;
  let hub: Hub;
  let checkpoint: Json;
  let pushed: Answer;
  let output: string;

  const named = (name: string): readonly ReceivedSpan[] => receiver.spans.filter((span) => span.name === name);
  const childrenOf = (parent: ReceivedSpan): readonly ReceivedSpan[] =>
    receiver.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  const below = (parent: ReceivedSpan): readonly ReceivedSpan[] =>
    childrenOf(parent).flatMap((child) => [child, ...below(child)]);
  const namesOf = (spans: readonly ReceivedSpan[]): Set<string> => new Set(spans.map(({ name }) => name));

  /**
   * A push by a client that sends a traceparent, its encode, and a download. The hub has ended, so every span has
   * arrived.
   */
  beforeAll(async () => {
    receiver = await startTraceReceiver();
    hub = await startHub({
      environment: {
        FIRN_OTLP_ENDPOINT: receiver.endpoint,
        FIRN_LOG_LEVEL: 'info',
        FIRN_EVAL_PARALLEL: '1',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    });
    const api = new HubApi(hub.url);
    const repository = await createRepository(api, 'traced-repository');
    await createClassifierSet(api, repository, classifierRows(classifierWeights(0)));
    const thresholds = { loss: 0.05, accuracy: 0.04 };
    const run = await createRun(api, repository, {
      name: 'train',
      evalSet: 'held-out',
      thresholds,
      search: { ...smallSearch, ...unguarded, method: 'inshrinkerator' },
    });
    pushed = await api.put(`${run}/checkpoints/1`, model, {
      traceparent: `00-${clientTrace}-${clientSpan}-01`,
      'x-request-id': 'the-push',
    });
    readJson(pushed, 202);
    checkpoint = await api.ready(`${run}/checkpoints/1`);
    expect((await api.get(`${run}/checkpoints/1/files/model.safetensors`)).status).toBe(200);
    expect((await api.get(`${run}/checkpoints/7`, { traceparent: 'not a traceparent' })).status).toBe(404);
    await api.get('/healthz');
    await api.get('/metrics');
    await hub.stop();
    output = hub.output();
  }, timeoutMs);

  afterAll(async () => {
    await hub?.stop();
    await receiver?.close();
  });

  test('an upload is a server span of the trace that the client named, and says so in answer and log', () => {
    const [span, ...others] = named(`PUT ${route}`);
    expect(others).toEqual([]);
    expect(span).toMatchObject({ traceId: clientTrace, parentSpanId: clientSpan, kind: 2, failed: false });
    expect(span!.attributes).toMatchObject({
      'http.request.method': 'PUT',
      'http.route': route,
      'http.response.status_code': 202,
      'firn.request_id': 'the-push',
    });
    expect(pushed.headers.get('traceparent')).toBe(`00-${clientTrace}-${span!.spanId}-01`);
    const line = output.split('\n').find((text) => text.includes('"the-push"'));
    expect(JSON.parse(line!)).toMatchObject({ traceId: clientTrace, requestId: 'the-push', status: 202 });
  });

  test('under it are the ingest, the put of its body and its transactions', () => {
    const [request] = named(`PUT ${route}`);
    const [ingest] = childrenOf(request!).filter(({ name }) => name === 'ingest.pushCheckpoint');
    const inside = below(ingest!);
    expect(inside.filter(({ name }) => name === 'store.put').map(({ attributes }) => attributes['firn.bytes'])).toEqual(
      [model.length],
    );
    expect(namesOf(inside)).toContain('catalog.transaction');
    expect(new Set(inside.map(({ traceId }) => traceId))).toEqual(new Set([clientTrace]));
  });

  test('the job is a trace of its own, linked to the request that committed, with every phase and trial', () => {
    const [job, ...others] = named('job').filter(({ attributes }) => attributes['firn.job.kind'] === 'encode');
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      parentSpanId: undefined,
      kind: 5,
      failed: false,
      attributes: { 'firn.job.outcome': 'done' },
    });
    expect(job!.traceId).not.toBe(clientTrace);
    expect(job!.links.map(({ traceId }) => traceId)).toEqual([clientTrace]);
    const [ingest] = named('ingest.pushCheckpoint');
    expect(job!.links[0]!.spanId).toBe(ingest!.spanId);
    const phases = ['encode.load', 'encode.read', 'encode.search', 'encode.encode', 'encode.verify', 'encode.commit'];
    for (const phase of phases) expect(namesOf(childrenOf(job!)), phase).toContain(phase);
    const only = (name: string): ReceivedSpan => below(job!).find((span) => span.name === name)!;
    expect(namesOf(childrenOf(only('encode.read')))).toContain('encode.ancestor');
    expect(namesOf(below(only('encode.encode')))).toContain('store.put');
    const trials = childrenOf(only('encode.search')).filter(({ name }) => name === 'encode.trial');
    expect(trials).toHaveLength(checkpoint.result.trialCount);
    expect(trials.filter(({ attributes }) => attributes['firn.passed'] === true).length).toBeGreaterThan(0);
    expect(new Set(trials.map(({ attributes }) => attributes['firn.config'])).size).toBe(trials.length);
    expect(trials[0]!.attributes['firn.method']).toBe('inshrinkerator');
    expect(only('encode.commit').attributes).toMatchObject({
      'firn.raw_bytes': checkpoint.result.rawBytes,
      'firn.stored_bytes': checkpoint.result.storedBytes,
    });
  });

  test('a download has its reads of the store under it, though it is streamed after the handler returned', () => {
    const [download] = named(`GET ${route}/files/:path{.+}`);
    expect(download).toMatchObject({
      kind: 2,
      parentSpanId: undefined,
      attributes: { 'http.response.status_code': 200 },
    });
    const reads = below(download!).filter(({ name }) => name === 'store.get');
    expect(reads.reduce((sum, { attributes }) => sum + Number(attributes['firn.bytes']), 0)).toBeGreaterThan(0);
  });

  test('a client that names no trace begins one, and what it asked wrongly is no failure of the server', () => {
    const asked = named(`GET ${route}`).find(({ attributes }) => attributes['http.response.status_code'] === 404);
    expect(asked).toMatchObject({ parentSpanId: undefined, failed: false });
  });

  test('names hold nothing that users chose, and who only watches leaves no span', () => {
    for (const { name } of receiver.spans)
      expect(name).not.toMatch(/traced-repository|acme|train|held-out|healthz|metrics/);
  });

  test('says which service it is', () => {
    for (const { resource } of receiver.spans)
      expect(resource).toMatchObject({
        'service.name': 'firn',
        'service.version': expect.any(String),
        'service.instance.id': expect.any(String),
        'deployment.environment.name': 'test',
      });
  });
});

describe('a collector that does not take spans changes nothing', () => {
  let hub: Hub | undefined;
  let receiver: TraceReceiver | undefined;

  afterEach(async () => {
    await hub?.stop();
    await receiver?.close();
  });

  async function useHub(
    endpoint: string,
  ): Promise<{ readonly exitCode: number | null; readonly output: string; readonly stopMs: number }> {
    hub = await startHub({ environment: { FIRN_OTLP_ENDPOINT: endpoint, FIRN_LOG_LEVEL: 'warn' } });
    const api = new HubApi(hub.url);
    const run = await createRun(api, await createRepository(api, 'untraced'), { name: 'r', fidelity: 'exact' });
    readJson(await api.put(`${run}/checkpoints/1`, model), 202);
    await api.ready(`${run}/checkpoints/1`);
    expect((await api.get(`${run}/checkpoints/1/files/model.safetensors`)).bytes.equals(model)).toBe(true);
    // Long enough for a batch to be sent, and to fail.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const stopping = performance.now();
    await hub.stop();
    return { exitCode: hub.process.exitCode, output: hub.output(), stopMs: performance.now() - stopping };
  }

  test(
    'away: uploads, encodes and downloads go on, the log says once that spans are lost, and the process ends as always',
    async () => {
      const { exitCode, output } = await useHub(`http://127.0.0.1:${await freePort()}`);
      expect(exitCode).toBe(0);
      expect(output.match(/traces do not reach the collector/g)).toHaveLength(1);
    },
    timeoutMs,
  );

  test(
    'never answering: the same, and the end waits for it a few seconds only',
    async () => {
      receiver = await startTraceReceiver('hang');
      const { exitCode, stopMs } = await useHub(receiver.endpoint);
      expect(receiver.requests()).toBeGreaterThan(0);
      expect(exitCode).toBe(0);
      expect(stopMs).toBeLessThan(20_000);
    },
    timeoutMs,
  );
});

/** A port on which nobody listens now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
