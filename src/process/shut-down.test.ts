import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shutDown, type ShutdownStep } from './shut-down.ts';

function recorded() {
  const said: string[] = [];
  const tell = (fields: object, message?: string): void =>
    void said.push(`${(fields as { phase: string }).phase}: ${message}`);
  const step = (name: string, end: () => Promise<void>, deadlineMs = 10_000): ShutdownStep => ({
    name,
    deadlineMs,
    end,
  });
  return { said, log: { info: tell, warn: tell, error: tell } as never, step };
}

test('phases follow each other, their steps run together, and each is logged by name', async () => {
  const { said, log, step } = recorded();
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  await shutDown(
    [
      [step('a', async () => undefined)],
      [step('b', () => both), step('c', async () => release())],
      [step('d', async () => undefined)],
    ],
    log,
  );
  expect(said).toEqual([
    'a: shutting down',
    'a: shut down',
    'b: shutting down',
    'c: shutting down',
    'b: shut down',
    'c: shut down',
    'd: shutting down',
    'd: shut down',
  ]);
});

test('one that fails or is late keeps none from its turn; the first failure comes out at the end', async () => {
  const { said, log, step } = recorded();
  const failure = new Error('no');
  const ended: string[] = [];
  await expect(
    shutDown(
      [
        [step('late', () => pause(60_000, undefined, { ref: false }), 1)],
        [step('fails', () => Promise.reject(failure))],
        [step('last', async () => void ended.push('last'))],
      ],
      log,
    ),
  ).rejects.toBe(failure);
  expect(ended).toEqual(['last']);
  expect(said).toContain('late: left behind at its deadline');
  expect(said).toContain('fails: did not shut down cleanly');
});
