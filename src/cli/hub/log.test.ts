import { expect, test } from 'vitest';
import type { components } from '../../../clients/typescript/src/index.ts';
import { printCheckpoints } from './log.ts';

type Checkpoint = components['schemas']['Checkpoint'];
type Result = NonNullable<Checkpoint['result']>;

/** The lines that `firn log` prints of these checkpoints. */
function printed(isPerson: boolean, ...checkpoints: Partial<Checkpoint>[]): string[] {
  const lines: string[] = [];
  const terminal = { isPerson, asJson: false, say: (line: string) => void lines.push(line) };
  const common = {
    run: 'train',
    step: 7,
    sequence: 1,
    state: 'ready',
    cancelRequested: false,
    createdAt: '',
    href: '',
  };
  printCheckpoints(
    { ...terminal, remark: () => undefined, progress: () => undefined },
    checkpoints.map((each) => ({ ...common, ...each }) as Checkpoint),
    false,
  );
  return lines;
}

/** Those for a program, split at tabs. */
const linesOf = (...checkpoints: Partial<Checkpoint>[]): string[][] =>
  printed(false, ...checkpoints).map((line) => line.split('\t'));

test('the last column of a checkpoint that is queued says what it waits for; the state is a word', () => {
  const waitsFor = { step: 6, state: 'working', inWords: 'waits for step 6, which is being compressed' } as const;
  const [working, queued] = linesOf({ step: 6, state: 'working' }, { state: 'queued', waitsFor });
  expect([working!.slice(0, 2), working!.at(-1)]).toEqual([['6', 'working'], '-']);
  expect([queued!.slice(0, 2), queued!.at(-1)]).toEqual([['7', 'queued'], waitsFor.inWords]);
});

test('a step that is reserved says when it expires', () => {
  const [open] = linesOf({ state: 'open', expiresAt: '2026-01-02T03:04:05.678Z' });
  expect([open![1], open!.at(-1)]).toEqual([
    'open',
    'waits for files, and expires at 2026-01-02 03:04 UTC unless some arrive',
  ]);
});

test('where nothing waits there is no such column', () => {
  const [queued] = linesOf({ state: 'queued', waitsFor: { inWords: 'waits for a worker' } });
  expect(linesOf({})).toEqual([queued!.slice(0, -1).with(1, 'ready')]);
});

test('a metric has six significant digits for a person, and all of them for a program', () => {
  const measured = { loss: 2.3010456789012345 };
  const result = { rawBytes: 2, storedBytes: 1, measured, degradation: { loss: 0.01 } } as unknown as Result;
  expect(printed(true, { result })[1]).toMatch(/ 2\.30105 /);
  expect(linesOf({ result })[0]).toContain(String(measured.loss));
});
