import { describe, expect, test } from 'vitest';
import { defaultThreshold } from '../../checkpoint/quality/quality.ts';
import { demoUsage, readDemoOptions } from './demo-options.ts';

const read = (...args: string[]) => readDemoOptions(args, '/bundled');

describe('readDemoOptions', () => {
  test("without arguments: the bundled series at the product's default threshold, half a per cent", () => {
    expect(read()).toEqual({ seriesDirectory: '/bundled', thresholds: [0.005], method: 'residual', open: false });
    expect(read('--metric', 'accuracy,loss').thresholds).toEqual([defaultThreshold]);
    expect(demoUsage).toContain(`--threshold ${defaultThreshold}`);
  });

  test('every option, in any order', () => {
    expect(
      read(
        '--json',
        'out.json',
        '--keep',
        'kept',
        '--open',
        '/series',
        '--metric',
        'accuracy',
        '--threshold=0.01',
        '--method',
        'inshrinkerator',
      ),
    ).toEqual({
      seriesDirectory: '/series',
      metrics: ['accuracy'],
      thresholds: [0.01],
      method: 'inshrinkerator',
      jsonPath: 'out.json',
      keepDirectory: 'kept',
      open: true,
    });
    expect(read('--method', 'inshrinkerator', '--clustering', 'entropy')).toMatchObject({ clustering: 'entropy' });
    expect(read('--threshold', '0').thresholds).toEqual([0]);
    expect(read('--progress', '0.5').progress).toBe(0.5);
    expect(read('--metric', 'accuracy,loss', '--threshold', '0.01,0.05')).toMatchObject({
      metrics: ['accuracy', 'loss'],
      thresholds: [0.01, 0.05],
    });
  });

  test.each([
    [['--progress', '0'], '--progress'],
    [['--progress', '1.5'], '--progress'],
    [['--progress', 'half'], '--progress'],
    [['--threshold', 'much'], '--threshold'],
    [['--threshold=-0.1'], '--threshold'],
    [['--threshold', ''], '--threshold'],
    [['--threshold', 'NaN'], '--threshold'],
    [['--threshold', '0.1,0.2'], '--metric'],
    [['--metric', 'a,b', '--threshold', '0.1,0.2,0.3'], '--metric'],
    [['--method', 'magic'], 'inshrinkerator'],
    [['--clustering', 'magic'], 'entropy'],
    [['a', 'b'], 'one series directory'],
    [['--colour'], '--colour'],
    [['--json'], '--json'],
  ])('%j is refused in one sentence that names it', (args, named) => {
    expect(() => read(...args)).toThrow(named);
  });
});
