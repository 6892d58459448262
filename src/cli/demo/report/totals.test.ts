import { describe, expect, test } from 'vitest';
import type { CheckpointResult } from '../../../catalog/contract/checkpoint-records.ts';
import { demoRow, type DemoRow } from './demo-row.ts';
import { lineageRows } from './lineage-rows.ts';
import { pushed } from './pushed.test-support.ts';
import { totalLines } from './total-lines.ts';
import { totalsOf } from './totals.ts';

const parts = {
  packageBytes: 140,
  stagedBytes: 0,
  rawBytes: 1500,
  hubBytes: 0,
  evalSetBytes: 360,
  hiddenBytes: 0,
  pendingDeletionBytes: 6000,
};
const leading = { name: 'loss', kind: 'cross-entropy' } as const;
const last = { run: 'train-resumed', fromStep: 200 };

/** Steps 100 to 300, of which 300 is abandoned, and 300 and 400 of the fork; uploads of loss 4, 3, 2 and 1. */
function forkedRows(): DemoRow[] {
  const rows: DemoRow[] = [];
  const push = (run: string, step: number, changes: Partial<CheckpointResult>): void => {
    const lineage = lineageRows(rows, run === last.run ? last : { run });
    rows.push(demoRow(pushed({ degradation: { loss: 0.01 }, ...changes }, {}, { run, step }), { leading, lineage }));
  };
  push('train', 100, { baseline: { loss: 4 }, measured: { loss: 4 }, rawBytes: 1000, storedBytes: 50 });
  push('train', 200, { baseline: { loss: 3 }, measured: { loss: 3.5 }, rawBytes: 1000, storedBytes: 20 });
  push('train', 300, {
    baseline: { loss: 2 },
    measured: { loss: 2.5 },
    rawBytes: 1000,
    storedBytes: 15,
    degradation: { loss: 0.04 },
  });
  push('train-resumed', 300, { baseline: { loss: 2.1 }, measured: { loss: 2.1 }, rawBytes: 1000, storedBytes: 20 });
  push('train-resumed', 400, { baseline: { loss: 1 }, measured: { loss: 2.55 }, rawBytes: 1000, storedBytes: 10 });
  return rows;
}

describe('totals', () => {
  test('count each step of the final lineage once, and what the crash abandoned beside it', () => {
    expect(totalsOf(forkedRows(), parts, last)).toMatchObject({
      checkpoints: 4,
      rawBytes: 4000,
      storedBytes: 100,
      ratio: 40,
      abandoned: { checkpoints: 1, storedBytes: 15 },
      trials: 20,
      seconds: 6.25,
    });
  });

  test('tell everything stored, with and without what waits to be deleted, each with its ratio', () => {
    expect(totalsOf(forkedRows(), parts, last).everything).toEqual({
      storedBytes: 8000,
      ratio: 0.5,
      keptBytes: 2000,
      keptRatio: 2,
      parts,
    });
  });

  test('tell how far behind the last checkpoint is, and the mean of the final lineage', () => {
    // The fork's uploads are 4, 3, 2.1 and 1: 2.55 lies half-way between steps 200 and 300, whatever the abandoned
    // step's loss.
    const { asGoodAs } = totalsOf(forkedRows(), parts, last);
    expect(asGoodAs).toMatchObject({ metric: 'loss', lastStep: 400, beforeFirst: 0, last: { beforeFirst: false } });
    expect(asGoodAs!.last.step).toBeCloseTo(250, 9);
    expect(asGoodAs!.meanLagSteps).toBeCloseTo((0 + 50 + 0 + 150) / 4, 9);
  });

  test('count checkpoints that come back worse than the first upload, whose lag is the least there can be', () => {
    const rows = [1, 2].map((i) =>
      demoRow(pushed({ measured: { loss: 9 } }, {}, { step: 100 * i }), { leading, lineage: [] }),
    );
    expect(totalsOf(rows, parts, { run: 'train' }).asGoodAs).toMatchObject({
      beforeFirst: 2,
      last: { beforeFirst: true, step: 200 },
    });
  });

  test('say nothing of steps where the last checkpoint does not', () => {
    expect(totalsOf([demoRow(pushed())], parts, { run: 'train' })).not.toHaveProperty('asGoodAs');
  });

  test('have the worst degradation of every push, abandoned ones too', () => {
    expect(totalsOf(forkedRows(), parts, last).worstDegradation).toEqual({ loss: 0.04 });
  });

  test('pass over what is not finite or was not measured', () => {
    const nothing = JSON.parse('{"loss":null}') as Record<string, number>;
    const rows = [
      demoRow(pushed({ degradation: nothing })),
      demoRow(pushed({ degradation: { loss: -0.5 } })),
      demoRow(pushed({ degradation: {} })),
    ];
    expect(totalsOf(rows, parts, { run: 'train' }).worstDegradation).toEqual({ loss: -0.5 });
  });
});

describe('lines of totals', () => {
  test('name every figure, its ratio and what it counts', () => {
    expect(totalLines(totalsOf(forkedRows(), parts, last))).toEqual([
      'total: 4 checkpoints of the run as it ended, each step once, uploaded as 4000 bytes',
      '         100 packages of these checkpoints, ratio 40.00',
      '          15 more for 1 step that the crash abandoned, 15.0 % of these',
      '        2000 everything that stays, ratio 2.00:',
      '         140   packages, with those of abandoned steps',
      '        1500   uploads that are kept: the newest of each lossy run, and files stored as they are',
      '         360   eval set',
      '        8000 everything stored now, ratio 0.50: that, and',
      '        6000   what nothing needs any more, as uploads that have been compressed: deleted a day ' +
        'later (FIRN_GC_GRACE_H)',
      'by loss, the last checkpoint comes back as good as step 250 of 400; on average they are 50.0 ' +
        'steps of training behind',
      'worst degradation of every push: loss 4.00 %; 20 trials, 6.3 s',
    ]);
  });

  test('say aloud that a checkpoint comes back worse than the first upload', () => {
    const first = demoRow(pushed({ baseline: { loss: 4 }, measured: { loss: 4 } }), { leading });
    const rows = [
      first,
      demoRow(pushed({ baseline: { loss: 3 }, measured: { loss: 5 } }, {}, { step: 300 }), {
        leading,
        lineage: [first],
      }),
    ];
    const lines = totalLines(totalsOf(rows, parts, { run: 'train' }));
    expect(lines).toContain(
      'by loss, the last checkpoint comes back worse than the first upload, step 100; on average they ' +
        'are 100.0 steps of training behind or more: 1 of them is worse than the first upload',
    );
  });

  test('say nothing of a crash that lost nothing', () => {
    expect(totalLines(totalsOf([demoRow(pushed())], parts, { run: 'train' })).join('\n')).not.toContain('abandoned, ');
  });
});
