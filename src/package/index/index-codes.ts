import type { PackageFile } from '../package-index.ts';

/** Stored numbers of the index (docs/format.md, "Index"). */
export const indexFlags = { delta: 1, deflated: 2 } as const;

export const contentCodes: Readonly<Record<PackageFile['content']['type'], number>> = {
  safetensors: 0,
  blob: 1,
  external: 2,
};

/** Added to a content code if the path is that of an ancestor's file, given by number. */
export const pathFromAncestor = 4;
