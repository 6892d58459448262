import { describe, expect, test } from 'vitest';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { settleThresholds, type AskedThresholds } from './settle-thresholds.ts';

const evalSet = {
  spec: {
    inputs: {},
    metrics: [
      { name: 'loss', kind: 'loss', output: 'o' },
      { name: 'ppl', kind: 'perplexity', output: 'o', labels: 'l' },
      { name: 'kl', kind: 'kl-divergence', output: 'o' },
    ],
  },
} as unknown as EvalSet;
const settle = (asked: Partial<AskedThresholds>) =>
  settleThresholds({ given: undefined, inherited: undefined, allowLarge: undefined, evalSet, ...asked });

describe('thresholds', () => {
  test.each<[string, Partial<AskedThresholds>, object]>([
    ['are those given', { given: { ppl: 0.5 }, inherited: { loss: 0.1 } }, { ppl: 0.5 }],
    [
      'are inherited, large or not, where the eval set has them all',
      { inherited: { ppl: 3, loss: 0.1 } },
      { ppl: 3, loss: 0.1 },
    ],
    [
      'are the default where the eval set lacks one that would be inherited',
      { inherited: { loss: 0.1, gone: 0.1 } },
      { loss: 0.005 },
    ],
    ['are the default on the first metric', {}, { loss: 0.005 }],
    ['are the default where none would be inherited', { inherited: {} }, { loss: 0.005 }],
    ['are none without an eval set', { inherited: { loss: 0.1 }, evalSet: undefined }, {}],
    [
      'may have several bounds',
      { given: { loss: { relative: 0.01, progress: 0.5 }, kl: { absolute: 0.1 } } },
      { loss: { relative: 0.01, progress: 0.5 }, kl: { absolute: 0.1 } },
    ],
    ['are inherited with their bounds', { inherited: { loss: { progress: 0.5 } } }, { loss: { progress: 0.5 } }],
    ['may be large if that is said', { given: { loss: 10 }, allowLarge: true }, { loss: 10 }],
  ])('%s', (_, asked, expected) => {
    expect(settle(asked)).toEqual(expected);
  });

  test.each<[string, Partial<AskedThresholds>, string, RegExp]>([
    ['a metric that the eval set lacks', { given: { gone: 0.1 } }, 'metric-unknown', /"gone"/],
    ['no metric', { given: {} }, 'invalid-request', /At least one/],
    [
      'a metric without an eval set',
      { given: { loss: 0.1 }, evalSet: undefined },
      'invalid-request',
      /need an eval set/,
    ],
    [
      'a large one unsaid',
      { given: { loss: 0.1, ppl: 0.51 } },
      'invalid-request',
      /0\.51 of "ppl".*51 %: its loss by at most 0\.412 nats.*"allowLarge": true/,
    ],
    [
      'a large share among several bounds',
      { given: { loss: { relative: 0.6, progress: 0.5 } } },
      'invalid-request',
      /0\.6 of "loss".*60 %.*and by at most 50 % of what it gained/,
    ],
    ['a share of a divergence', { given: { kl: { relative: 0.1 } } }, 'invalid-request', /"kl" compares.*no value/],
    [
      'progress in a divergence',
      { given: { kl: { absolute: 0.1, progress: 0.5 } } },
      'invalid-request',
      /"kl" compares.*nothing that training improves.*\{"absolute": \.\.\.\}/,
    ],
    ['a large divergence', { given: { kl: { absolute: 0.6 } } }, 'invalid-request', /0\.6 of "kl"/],
    ['a large one denied', { given: { loss: 1 }, allowLarge: false }, 'invalid-request', /100 %/],
  ])('%s is refused', (_, asked, code, sentence) => {
    expect(() => settle(asked)).toThrow(FirnError);
    expect(() => settle(asked)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(sentence) as string }) as Error,
    );
  });
});
