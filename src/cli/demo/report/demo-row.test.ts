import { describe, expect, test } from 'vitest';
import { demoRow } from './demo-row.ts';
import { pushed, result } from './pushed.test-support.ts';
import { headerLine, rowLine } from './row-line.ts';

describe('one row', () => {
  test('has everything a person asks for', () => {
    const row = demoRow(pushed(), { leading: { name: 'loss', kind: 'cross-entropy' } });
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
      'before 100',
      'accuracy 10.00 %',
      '1.3',
    ])
      expect(line).toContain(text);
    expect(line.indexOf('25.00')).toBe(headerLine().indexOf('ratio'));
    expect(line.indexOf('before 100')).toBe(headerLine().indexOf('as good as step'));
  });

  test('tells as which step of its lineage it is as good', () => {
    const leading = { name: 'loss', kind: 'cross-entropy' } as const;
    const first = demoRow(pushed({ baseline: { loss: 3 } }), { leading });
    const row = demoRow(pushed({}, {}, { step: 1100 }), { leading, lineage: [first] });
    expect(row.asGoodAs).toEqual({
      metric: 'loss',
      step: expect.closeTo(1050, 9),
      beforeFirst: false,
      lagSteps: expect.closeTo(50, 9),
    });
    expect(rowLine(row)).toContain(' 1,050 of 1,100 ');
    expect(demoRow(pushed()).asGoodAs).toBeUndefined();
    expect(rowLine(demoRow(pushed()))).toContain(' -  ');
  });

  test('shows metrics in the order asked for, then the others', () => {
    const line = rowLine(demoRow(pushed(), { metrics: ['accuracy', 'mse'] }));
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
    expect(
      demoRow({ ...pushed(), status: { ...pushed().status, result: { ...exact, fidelity: 'exact' } } }),
    ).toMatchObject({
      kind: 'exact delta',
      config: '-',
    });
  });

  test('of a metric that is not finite, null in JSON, can be printed', () => {
    const values = JSON.parse(JSON.stringify({ loss: Number.NaN })) as Record<string, number>;
    expect(rowLine(demoRow(pushed({ baseline: values, measured: values, degradation: values })))).toContain(
      'loss not finite > not finite',
    );
  });

  test('of a checkpoint that did not become ready is an error that says why', () => {
    expect(() =>
      demoRow(pushed({}, { state: 'failed', error: { code: 'eval-timeout', message: 'too long' } })),
    ).toThrow('train@100 is failed: eval-timeout too long');
  });
});
