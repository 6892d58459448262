import { afterEach, describe, expect, test } from 'vitest';
import { startTraceReceiver, type TraceReceiver } from '../../test/acceptance/trace-receiver.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { startTraces, type RunningTraces } from './otlp-tracer.ts';

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpan = '00f067aa0ba902b7';

let receiver: TraceReceiver | undefined;
const troubles: { lostSpans: number; reason: string }[] = [];

afterEach(async () => {
  await receiver?.close();
  troubles.length = 0;
});

async function traced(
  does: 'take' | 'hang' = 'take',
  traceRatio = 1,
): Promise<RunningTraces & { readonly spans: TraceReceiver['spans'] }> {
  receiver = await startTraceReceiver(does);
  const traces = startTraces({
    endpoint: `${receiver.endpoint}/`,
    traceRatio,
    version: '1.2.3',
    instanceId: 'i',
    onTrouble: (trouble) => troubles.push(trouble),
  });
  return { ...traces, spans: receiver.spans };
}

describe('spans', () => {
  test('begun inside of work are its children, also after a pause and side by side', async () => {
    const { tracer, close, spans } = await traced();
    await tracer.span('outer', {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all(
        ['a', 'b'].map((name) => tracer.span(name, {}, () => tracer.span(`${name}.inner`, {}, async () => undefined))),
      );
    });
    await close();
    const by = (name: string) => spans.find((span) => span.name === name)!;
    expect(['a', 'b'].map((name) => by(name).parentSpanId)).toEqual([by('outer').spanId, by('outer').spanId]);
    expect(by('a.inner').parentSpanId).toBe(by('a').spanId);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  test('take up the trace that a client names, and pass it on', async () => {
    const { tracer, close, spans } = await traced();
    await tracer.span(
      'request',
      { kind: 'server', parent: `00-${clientTrace}-${clientSpan}-01` },
      async ({ traceparent }) => {
        expect(tracer.current()).toBe(traceparent);
        expect(traceparent).toMatch(new RegExp(`^00-${clientTrace}-[0-9a-f]{16}-01$`));
      },
    );
    expect(tracer.current()).toBeUndefined();
    await close();
    expect(spans).toMatchObject([{ traceId: clientTrace, parentSpanId: clientSpan, kind: 2 }]);
  });

  test('of a job are a trace of their own, linked to what let it begin, wherever the worker was woken', async () => {
    const { tracer, close, spans } = await traced();
    await tracer.span('request', {}, () =>
      tracer.span('job', { kind: 'consumer', link: `00-${clientTrace}-${clientSpan}-01` }, async () => undefined),
    );
    await close();
    const [job, request] = ['job', 'request'].map((name) => spans.find((span) => span.name === name)!);
    expect(job).toMatchObject({
      parentSpanId: undefined,
      kind: 5,
      links: [{ traceId: clientTrace, spanId: clientSpan }],
    });
    expect(job!.traceId).not.toBe(request!.traceId);
  });

  test('that fail say so with a code and without details, and the error passes', async () => {
    const { tracer, close, spans } = await traced();
    const error = new FirnError('conflict', 'It is taken.', { detail: 'row 17' });
    await expect(tracer.span('work', {}, () => Promise.reject(error))).rejects.toBe(error);
    await close();
    expect(spans).toMatchObject([{ failed: true, attributes: { 'error.type': 'conflict' } }]);
    expect(JSON.stringify(spans)).not.toContain('row 17');
  });

  test('that are worth nothing alone are left out without others around them', async () => {
    const { tracer, close, spans } = await traced();
    expect(await tracer.span('alone', { onlyInside: true }, async () => 1)).toBe(1);
    await tracer.span('outer', {}, () => tracer.span('inside', { onlyInside: true }, async () => 1));
    await close();
    expect(spans.map(({ name }) => name).sort()).toEqual(['inside', 'outer']);
  });

  test('are recorded as the ratio says: a client can have its trace left out, not put in', async () => {
    const none = await traced('take', 0);
    await none.tracer.span('forced', { parent: `00-${clientTrace}-${clientSpan}-01` }, async () => undefined);
    await none.close();
    expect(none.spans).toEqual([]);
    await receiver!.close();
    const all = await traced('take', 1);
    await all.tracer.span('declined', { parent: `00-${clientTrace}-${clientSpan}-00` }, async () => undefined);
    await all.close();
    expect(all.spans).toEqual([]);
  });
});

describe('a collector', () => {
  test('that never answers holds no work up, keeps a bounded number of spans, and is given up at the end', async () => {
    const { tracer, close } = await traced('hang');
    const startedMs = performance.now();
    for (let i = 0; i < 20_000; i++) await tracer.span('work', {}, async () => undefined);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await close();
    expect(performance.now() - startedMs).toBeLessThan(40_000);
    expect(troubles.length).toBeLessThanOrEqual(1);
  });

  test('that is unreachable is reported once, with the number of lost spans', async () => {
    const { tracer, close } = await traced();
    await receiver!.close();
    for (let i = 0; i < 10; i++) await tracer.span('work', {}, async () => undefined);
    await close();
    expect(troubles).toEqual([{ lostSpans: 10, reason: expect.any(String) }]);
  });
});
