import { describe, expect, test } from 'vitest';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import { chainCost } from './chain-cost.ts';

const record = (key: string, storedBytes: number, mergedPackage?: number) =>
  ({
    key,
    storedBytes,
    sizeBytes: mergedPackage ?? storedBytes,
    ...(mergedPackage !== undefined && { mergedPackageId: key }),
  }) as PackageRecord;

describe('chainCost', () => {
  test('adds up packages, the base last', () => {
    expect(chainCost([record('c', 10), record('b', 20), record('a', 400)])).toEqual({
      packages: 3,
      bytes: 430,
      baseBytes: 400,
    });
  });

  test('counts an object of several checkpoints once and whole, as two packages', () => {
    const chain = [
      record('d', 7),
      record('merged', 10, 35),
      record('merged', 12, 35),
      record('merged', 13, 35),
      record('a', 400),
    ];
    expect(chainCost(chain)).toEqual({ packages: 4, bytes: 442, baseBytes: 400 });
  });
});
