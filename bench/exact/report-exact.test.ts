import { expect, test } from 'vitest';
import type { MeasuredSpeed } from './measured-speed.ts';
import { markdownReport } from './report-exact.ts';

const speed: MeasuredSpeed = {
  gigabytesPerSecond: 0.5,
  spread: 0.1,
  rounds: 5,
  memcpyShare: 0.05,
  memcpyShareByProcessor: 0.06,
  memcpyGigabytesPerSecond: 10,
  besideShareByProcessor: 1.25,
};

test('ratios are of all checkpoints together, and held against the best code length of each checkpoint', () => {
  const lines = markdownReport({
    series: 's',
    results: [
      {
        title: 'fp32',
        checkpointCount: 2,
        weightCount: 250,
        codings: [
          {
            coding: 'alone',
            steps: [1, 2],
            rawBytes: [1000, 1000],
            methods: [
              { name: 'Firn', bytes: [500, 300], encode: speed, decode: { ...speed, memcpyGigabytesPerSecond: 12 } },
            ],
            prototype: [
              { name: 'a', bytes: [900, 300] },
              { name: 'b', bytes: [490, 310] },
            ],
          },
        ],
      },
    ],
    changed: (['F16', 'BF16'] as const).map((dtype) => {
      return {
        dtype,
        share: 0.01,
        weightCount: 800,
        methods: [{ name: 'Firn', bytes: dtype === 'BF16' ? 10 : 20 }],
        prototype: [{ name: 'b', bytes: 9.7 }],
      };
    }),
  }).split('\n');
  expect(lines[0]).toBe('s, fp32: 2 checkpoints of 250 weights, 0.0 MB raw; memcpy 10.0 to 12.0 GB/s.');
  expect(lines[4]).toBe(
    '| alone | Firn | 800 | 2.500 | 0.988 (0.980) | 0.50 (10 %) | 0.50 (10 %) | 0.050 / 0.050 | ' +
      '0.060 / 0.060 | 1.25 / 1.25 |',
  );
  expect(lines[5]).toContain('| prototype: a (code length) | 1200 | 1.667 |  |');
  expect(lines[6]).toContain('| prototype: b (code length) | 800 | 2.500 |  |');
  expect(lines[7]).toContain('| prototype: best of each checkpoint (code length) | 790 | 2.532 |  |');
  expect(lines[9]).toContain('the last checkpoint in bf16');
  expect(lines[13]).toBe('| 1 % | 0.100 | 0.097 | 0.970 | 0.091 |');
  expect(lines[15]).toContain('the last checkpoint in fp16');
  expect(lines[19]).toBe('| 1 % | 0.200 | 0.097 | 0.485 | 0.091 |');
});
