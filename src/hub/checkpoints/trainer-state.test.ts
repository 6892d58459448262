import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepOfTrainerState, TrainerStateScan } from './trainer-state.ts';

const stepOf = (text: string): number | undefined => stepOfTrainerState(Buffer.from(text));

describe('the step in trainer_state.json', () => {
  it.each<[string, number | undefined]>([
    ['{"global_step": 1200, "epoch": 1.5}', 1200],
    ['{"global_step": 0}', 0],
    ['{"global_step": -1}', undefined],
    ['{"global_step": 1.5}', undefined],
    ['{"global_step": 1e300}', undefined],
    ['{"global_step": "7"}', undefined],
    ['{}', undefined],
    ['[]', undefined],
    ['null', undefined],
    ['{"global_step":', undefined],
    ['{"global_step": 12', undefined],
    ['{"global_step": -0.0}', undefined],
    ['{"global_step": true}', undefined],
    ['{"global_step": [7]}', undefined],
    ['{"global_step": {"global_step": 7}}', undefined],
    ['{"best_global_step": 3, "global_step": 7}', 7],
    ['{"log_history": [{"global_step": 1}], "global_step": 7}', 7],
    ['{"a": "\\"global_step\\": 3,", "global_step" :\n7\n}', 7],
    ['{"a": "global_step", "b": 3, "global_step": 7}', 7],
    ['[{"global_step": 7}]', undefined],
    ['["global_step", 7]', undefined],
    ['"global_step": 7,', undefined],
    ['', undefined],
  ])('%j is %j', (text, step) => expect(stepOf(text)).toBe(step));

  it('is the one that a parser finds, whatever is around it and however the bytes are cut', () => {
    const other = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('global_step', '"', '\\\\')), fc.jsonValue());
    fc.assert(
      fc.property(other, fc.option(fc.nat()), other, fc.integer({ min: 1, max: 9 }), (before, step, after, cut) => {
        const { global_step: _before, ...rest } = before;
        const { global_step: _after, ...more } = after;
        const state = { ...rest, ...(step !== null && { global_step: step }), nested: before, ...more };
        const bytes = Buffer.from(JSON.stringify(state, null, cut % 2));
        const scan = new TrainerStateScan();
        for (let at = 0; at < bytes.length; at += cut) scan.push(bytes.subarray(at, at + cut));
        expect(scan.step).toBe((JSON.parse(bytes.toString()) as { global_step?: number }).global_step);
      }),
    );
  });
});
