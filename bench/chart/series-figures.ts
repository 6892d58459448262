/** Bytes of one series stored in one way. */
export interface SeriesBytes {
  readonly name: string;
  readonly bytes: number;
  /** `1,126 of 1,260`: the training step that the last rebuilt checkpoint is as good as. Absent for lossless ways. */
  readonly asGoodAs?: string;
  readonly ours: boolean;
}

/** Bars under one heading. */
export interface FigureGroup {
  readonly heading: string;
  readonly bars: readonly SeriesBytes[];
}

/**
 * Bytes of the small language series as uploaded, with zstd, in the paper's method and in Firn's, from the pages that
 * benches write: `compression` is docs/benchmarks/compression.md, `exact` docs/benchmarks/exact.md. Throws if a figure
 * is missing.
 */
export function seriesFigures({
  compression,
  exact,
}: {
  readonly compression: string;
  readonly exact: string;
}): FigureGroup[] {
  const raw = numberIn(find(compression, /^1\. lm-small, 18 checkpoints, ([\d ]+) bytes/m));
  const lossless = rowsOf(partsOf(exact, 'exact-lm-small')[0]!);
  const zstd = Math.min(
    ...[...lossless].filter(([name]) => /^alone, zstd /.test(name)).map(([, { bytes }]) => numberIn(bytes)),
  );
  const ours = lossless.get('to the one before, Firn')?.bytes;
  if (!Number.isFinite(zstd) || ours === undefined) throw new Error('exact.md does not say what zstd and Firn take');
  return [
    {
      heading: 'nothing lost',
      bars: [
        { name: 'as uploaded', bytes: raw, ours: false },
        { name: 'zstd', bytes: zstd, ours: false },
        { name: 'Firn, exact', bytes: numberIn(ours), ours: true },
      ],
    },
    ...partsOf(compression, 'lm-small').map(lossyGroup),
  ];
}

function lossyGroup(part: string): FigureGroup {
  const threshold = find(part, /in every checkpoint loss at most ([\d.]+) %\s+worse/);
  const rows = [...rowsOf(part)];
  const bar = (begin: string, name: string, ours: boolean): SeriesBytes => {
    const row = rows.find(([method]) => method.startsWith(begin))?.[1];
    if (row?.bytes === undefined) throw new Error(`compression.md has no row of ${begin}`);
    return { name, bytes: numberIn(row.bytes), asGoodAs: row['as good as step'] ?? '', ours };
  };
  return {
    heading: `loss at most ${Number(threshold)} % worse in every checkpoint`,
    bars: [bar('the paper (inshrinkerator)', 'the paper', false), bar('Firn (residual)', 'Firn', true)],
  };
}

/** A section that a bench writes, split at the beginnings of the series' tables. */
function partsOf(document: string, section: string): string[] {
  const text = new RegExp(`<!-- bench ${section} -->([\\s\\S]*?)<!-- end ${section} -->`).exec(document)?.[1];
  const parts = text?.split(/^(?=lm-small[:,])/m).slice(1) ?? [];
  if (parts.length === 0) throw new Error(`there is no section ${section} with tables of lm-small`);
  return parts;
}

/** Rows of numbered tables, by the names in the list above them; cells by heading. */
function rowsOf(text: string): Map<string, Readonly<Record<string, string>>> {
  const names = [...text.matchAll(/^(\d+)\. (.+(?:\n {3}.+)*)/gm)].map(
    ([, number, name]) => [number!, name!.replace(/\s+/g, ' ')] as const,
  );
  const rows = new Map<string, Record<string, string>>();
  let heading: string[] = [];
  for (const [, line] of text.matchAll(/^\|(.*)\|$/gm)) {
    const cells = line!.split('|').map((cell) => cell.trim());
    if (cells[0] === 'row') heading = cells;
    const name = names.find(([number]) => number === cells[0])?.[1];
    if (name !== undefined)
      rows.set(name, { ...rows.get(name), ...Object.fromEntries(cells.map((cell, i) => [heading[i], cell])) });
  }
  return rows;
}

function find(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`nothing matches ${pattern}`);
  return found;
}

function numberIn(text: string | undefined): number {
  const value = Number(text?.replaceAll(' ', ''));
  if (!Number.isFinite(value)) throw new Error(`${text} is not a number`);
  return value;
}
