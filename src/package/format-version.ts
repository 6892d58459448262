/** Versions of the package format that this build reads (docs/format.md). */
export const formatVersions = [1, 2, 3, 4, 5, 6, 8] as const;

/**
 * Version 2 has residual tensors; a writer uses it for packages that contain any. Version 3 is a merged package:
 * several consecutive deltas in one package. Version 4 adds optimizer state and copies to version 2, version 5 adds
 * masters and widened copies, and version 6 adds inherited tensors and gathered blocks. A writer uses the lowest
 * version that a package needs. Version 8 is version 6 with bitmasks.
 */
export type FormatVersion = (typeof formatVersions)[number];
