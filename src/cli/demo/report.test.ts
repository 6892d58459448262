import { describe, expect, test } from 'vitest';
import type { CheckpointResult } from '../../catalog/catalog.ts';
import type { CheckpointStatus, PushedCheckpoint } from './push-series.ts';
import { demoRow, headerLine, rowLine, totalsOf } from './report.ts';

const result: CheckpointResult = {
  fidelity: 'lossy',
  config: { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0.3, pruneMetric: 'sensitivity', protectFraction: 0.005 },
  warnings: [],
  baseline: { loss: 2, accuracy: 0.5 },
  measured: { loss: 2.05, accuracy: 0.45 },
  degradation: { loss: 0.025, accuracy: 0.1 },
  kind: 'delta',
  ancestorStep: 100,
  chainLength: 2,
  rawBytes: 1000,
  storedBytes: 40,
  migration: 0.1,
  trialCount: 4,
  seconds: {},
};

const pushed = (changes: Partial<CheckpointResult> = {}, status: Partial<CheckpointStatus> = {}): PushedCheckpoint => ({
  run: 'train',
  checkpoint: { index: 0, step: 100, modelFiles: [], recorded: { loss: 2.01 } },
  path: '/p',
  seconds: 1.25,
  status: { state: 'ready', step: 100, result: { ...result, ...changes }, files: [], ...status },
});

describe('one row', () => {
  test('has everything a person asks for', () => {
    const row = demoRow(pushed());
    expect(row).toMatchObject({ run: 'train', step: 100, ratio: 25, kind: 'delta', trials: 4, seconds: 1.25 });
    const line = rowLine(row);
    for (const text of [
      'train',
      '100',
      '1000',
      '40',
      '25.00',
      'delta',
      '8/16 bins, prune 0.3 sens, protect 0.005',
      'loss 2.0000 > 2.0500',
      'accuracy 10.00 %',
      '1.3',
    ])
      expect(line).toContain(text);
    expect(line.indexOf('25.00')).toBe(headerLine().indexOf('ratio'));
  });

  test('shows metrics in the order asked for, then the others', () => {
    const line = rowLine(demoRow(pushed(), ['accuracy', 'mse']));
    expect(line).toContain('accuracy 0.5000 > 0.4500, loss 2.0000 > 2.0500');
  });

  test('notes a recorded metric that the eval set does not give', () => {
    expect(demoRow(pushed()).warnings).toEqual([]);
    expect(demoRow(pushed({ warnings: ['w'], baseline: { loss: 5 } })).warnings).toEqual([
      'w',
      'The series records loss 2.010 here; its eval graph and batches give 5.000.',
    ]);
    expect(demoRow(pushed({ baseline: JSON.parse('{"loss":null}') as Record<string, number> })).warnings).toEqual([]);
  });

  test('says when a checkpoint was stored exact', () => {
    const { config: _, ...exact } = result;
    expect(demoRow({ ...pushed(), status: { ...pushed().status, result: { ...exact, fidelity: 'exact' } } })).toMatchObject({
      kind: 'exact delta',
      config: '-',
    });
  });

  test('of a metric that is not finite, null in JSON, can be printed', () => {
    const values = JSON.parse(JSON.stringify({ loss: Number.NaN })) as Record<string, number>;
    expect(rowLine(demoRow(pushed({ baseline: values, measured: values, degradation: values })))).toContain('loss not finite > not finite');
  });

  test('of a checkpoint that did not become ready is an error that says why', () => {
    expect(() => demoRow(pushed({}, { state: 'failed', error: { code: 'eval-timeout', message: 'too long' } }))).toThrow(
      'train@100 is failed: eval-timeout too long',
    );
  });
});

describe('totals', () => {
  test('add up bytes, trials and seconds; the ratio is of the sums', () => {
    const rows = [demoRow(pushed()), demoRow(pushed({ rawBytes: 3000, storedBytes: 60, trialCount: 1, degradation: { loss: -0.1, accuracy: 0.2 } }))];
    expect(totalsOf(rows)).toEqual({
      checkpoints: 2,
      rawBytes: 4000,
      storedBytes: 100,
      ratio: 40,
      worstDegradation: { loss: 0.025, accuracy: 0.2 },
      trials: 5,
      seconds: 2.5,
    });
  });

  test('pass over what is not finite or was not measured', () => {
    const nothing = JSON.parse('{"loss":null}') as Record<string, number>;
    expect(
      totalsOf([demoRow(pushed({ degradation: nothing })), demoRow(pushed({ degradation: { loss: -0.5 } })), demoRow(pushed({ degradation: {} }))])
        .worstDegradation,
    ).toEqual({ loss: -0.5 });
  });
});
