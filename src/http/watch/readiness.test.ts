import { afterEach, describe, expect, test, vi } from 'vitest';
import { createReadiness, type Probes } from './readiness.ts';

const ok = async (): Promise<void> => undefined;
const fails = (): Promise<void> => Promise.reject(new Error('EIO /srv'));
const hangs = (): Promise<void> => new Promise(() => undefined);
const ask = (probes: Probes, onFailure = (): void => undefined) => createReadiness(probes, onFailure)();

afterEach(() => {
  vi.useRealTimers();
});

describe('readiness', () => {
  test.each([
    ['all is well', { needed: { a: ok }, wanted: { b: ok } }, 'ready'],
    ['something wanted is missing', { needed: { a: ok }, wanted: { b: fails } }, 'degraded'],
    ['something needed is missing', { needed: { a: fails }, wanted: { b: ok } }, 'not-ready'],
    ['both are', { needed: { a: fails }, wanted: { b: fails } }, 'not-ready'],
  ])('%s', async (_, probes, status) => {
    expect((await ask(probes)).status).toBe(status);
  });

  test('says which part failed, and tells the reason only to the log', async () => {
    const failures: [string, unknown][] = [];
    const answer = await createReadiness({ needed: { a: ok, b: fails }, wanted: { c: fails } }, (name, error) =>
      failures.push([name, error]),
    )();
    expect(answer).toEqual({ status: 'not-ready', checks: { a: 'ok', b: 'failed', c: 'failed' } });
    expect(failures.map(([name]) => name).sort()).toEqual(['b', 'c']);
    expect(JSON.stringify(answer)).not.toContain('EIO');
  });

  test('a part that does not answer has failed, also if the workers are unknown', async () => {
    vi.useFakeTimers();
    const answer = ask({ needed: { a: ok }, wanted: { b: hangs }, workers: () => new Promise(() => undefined) });
    await vi.advanceTimersByTimeAsync(3_100);
    expect(await answer).toEqual({ status: 'degraded', checks: { a: 'ok', b: 'failed' } });
  });

  test('requests at once or within a second share an answer; later the parts are probed again', async () => {
    vi.useFakeTimers();
    let looks = 0;
    const readiness = createReadiness({ needed: { a: async () => void (looks += 1) }, wanted: {} }, () => undefined);
    await Promise.all(Array.from({ length: 100 }, readiness));
    await vi.advanceTimersByTimeAsync(900);
    await readiness();
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    await readiness();
    expect(looks).toBe(2);
  });

  test('a slow look is not begun again by those who ask meanwhile', async () => {
    vi.useFakeTimers();
    let looks = 0;
    const slow = (): Promise<void> => {
      looks += 1;
      return new Promise((resolve) => setTimeout(resolve, 2_500));
    };
    const readiness = createReadiness({ needed: { a: slow }, wanted: {} }, () => undefined);
    const first = readiness();
    await vi.advanceTimersByTimeAsync(2_000);
    const second = readiness();
    await vi.advanceTimersByTimeAsync(600);
    expect([(await first).status, (await second).status, looks]).toEqual(['ready', 'ready', 1]);
  });

  test('shows the living workers', async () => {
    const workers = { living: 2, oldestSignSeconds: 9, newestSignSeconds: 1 };
    expect(await ask({ needed: {}, wanted: {}, workers: async () => workers })).toEqual({
      status: 'ready',
      checks: {},
      workers,
    });
  });
});
