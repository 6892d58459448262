/** Versions of the package format that this build reads (docs/format.md). */
export const formatVersions = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;

/**
 * Version 2 has residual tensors; a writer uses it for packages that contain any. Version 3 is a merged package:
 * several consecutive deltas in one package. Version 4 adds optimizer state and copies to version 2, version 5 adds
 * masters and widened copies, and version 6 adds inherited tensors and gathered blocks. Version 7 adds tensors in
 * buckets, version 8 adds bitmasks, version 10 adds namesakes, and version 11 residual blocks that start from elements
 * of the ancestor. A writer uses the lowest version that a package needs. Version 9 is a merged package of deltas in
 * buckets.
 */
export type FormatVersion = (typeof formatVersions)[number];

/** Of merged packages: of residual deltas, and of deltas in buckets. */
export type MergedFormatVersion = 3 | 9;

export function isMergedFormat(version: FormatVersion): version is MergedFormatVersion {
  return version === 3 || version === 9;
}
