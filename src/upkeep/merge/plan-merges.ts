import type { MergeCandidate } from '../../catalog/contract/storage/package-records.ts';
import { mergedPackageWidthMax, mergedPackageWidthMin } from '../../package/format-limits.ts';

/**
 * Groups of checkpoints to merge, from candidates in the order of their run. Each has up to `mergedPackageWidthMax`,
 * each the ancestor of the next and of nothing else. There are fewer, at least `widthMin`, only if the chain has no
 * further checkpoints that can be merged later. Pure.
 */
export function planMerges(
  candidates: readonly MergeCandidate[],
  widthMin = mergedPackageWidthMin,
): (readonly MergeCandidate[])[] {
  const groups: MergeCandidate[][] = [];
  for (let first = 0; first < candidates.length;) {
    const group = [candidates[first]!];
    for (const next of candidates.slice(first + 1)) {
      const last = group.at(-1)!;
      if (group.length === mergedPackageWidthMax || next.record.ancestorId !== last.record.id || last.descendants !== 1)
        break;
      group.push(next);
    }
    if (group.length === mergedPackageWidthMax || (group.length >= widthMin && !group.at(-1)!.grows))
      groups.push(group);
    first += group.length;
  }
  return groups;
}

/**
 * Splits the bytes of an object among the checkpoints in it, in proportion to the bytes that each took before. The
 * shares are whole bytes that add up. Pure.
 */
export function shareBytes(objectBytes: number, before: readonly number[]): number[] {
  const total = before.reduce((sum, bytes) => sum + bytes, 0);
  const shares = before.map((bytes) => Math.floor((objectBytes * bytes) / total));
  let left = objectBytes - shares.reduce((sum, bytes) => sum + bytes, 0);
  return shares.map((bytes) => (left-- > 0 ? bytes + 1 : bytes));
}
