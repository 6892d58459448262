import { describe, expect, test } from 'vitest';
import { unexpectedBaseline, unmeasuredExpectations } from './compare-expected.ts';

describe('unexpectedBaseline', () => {
  test.each<[string, Record<string, number> | undefined, Record<string, number>, number | undefined]>([
    ['nothing is expected', undefined, { loss: 3 }, undefined],
    ['figures agree within a hundredth', { loss: 1.86 }, { loss: 1.877 }, undefined],
    ['figures agree within what the run says', { loss: 1.86 }, { loss: 2 }, 0.1],
    ['both are zero', { loss: 0 }, { loss: 0 }, undefined],
  ])('says nothing where %s', (_, expects, measured, within) => {
    expect(unexpectedBaseline(expects, measured, within)).toBeUndefined();
  });

  test.each<[string, Record<string, number>, Record<string, number>]>([
    ['a figure is further off', { loss: 1.8604 }, { loss: 0.5147 }],
    ['it is not finite', { loss: 1.8604 }, { loss: Number.NaN }],
  ])('says both figures where %s', (_, expects, measured) => {
    const sentence = unexpectedBaseline({ accuracy: 0.5, ...expects }, { accuracy: 0.5, ...measured })!;
    expect(sentence).toContain('"loss" 1.8604 by the training job');
    expect(sentence).toMatch(/and (0\.5147|not finite) on the eval set.*more than 1 %.*stored exact/);
    expect(sentence).not.toContain('accuracy');
  });
});

test('a figure that the eval set does not measure causes no distrust, but a warning', () => {
  expect(unexpectedBaseline({ speed: 3 }, { loss: 1 })).toBeUndefined();
  expect(unmeasuredExpectations({ speed: 3, loss: 1 }, { loss: 1 })).toMatch(
    /The training job reported "speed", which the eval set does not measure/,
  );
  expect(unmeasuredExpectations({ loss: 1 }, { loss: 1 })).toBeUndefined();
});
