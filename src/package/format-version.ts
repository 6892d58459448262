/** Versions of the package format that this build reads (docs/format.md). */
export const formatVersions = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/**
 * Version 2 has residual tensors; a writer uses it for packages that hold any. Version 3 is a merged package: several
 * consecutive deltas in one package. Version 4 is version 2 with what came after it, version 5 is version 4 with
 * masters and widened copies, version 6 is version 5 with kept tensors and gathered blocks, version 7 is version 6 with
 * tensors in buckets, and version 8 is version 7 with bitmasks; a writer uses each for packages that need it. Version
 * 9 is a merged package of deltas in buckets.
 */
export type FormatVersion = (typeof formatVersions)[number];

/** Of merged packages: of residual deltas, and of deltas in buckets. */
export type MergedFormatVersion = 3 | 9;

export function isMergedFormat(version: FormatVersion): version is MergedFormatVersion {
  return version === 3 || version === 9;
}
