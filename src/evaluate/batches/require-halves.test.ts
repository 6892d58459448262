import { describe, expect, test } from 'vitest';
import { requireHalves } from './require-halves.ts';

describe('batches make halves', () => {
  test.each([
    [2, 1],
    [64, 32],
    [96, 32],
    [43, 32],
    [65, 32],
    [1000, 16],
  ])('%i rows in batches of %i', (rows, batchRows) => {
    expect(() => requireHalves({ rows, batchRows })).not.toThrow();
  });
});

describe('batches do not make halves', () => {
  test.each([
    [1, 1, '1 are in batches with an even number and 0 in others'],
    [32, 32, '32 are in batches with an even number and 0 in others'],
    [20, 32, '20 are in batches with an even number and 0 in others'],
    [42, 32, '32 are in batches with an even number and 10 in others'],
  ])('%i rows in batches of %i', (rows, batchRows, said) => {
    expect(() => requireHalves({ rows, batchRows })).toThrow(
      expect.objectContaining({ code: 'eval-input-mismatch', message: expect.stringContaining(said) }),
    );
  });
});
