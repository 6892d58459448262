import { frame, point } from './chart-frame.tsx';

export interface Row {
  readonly name: string;
  /** Lengths of the parts of its bar, one after the other, each with the class of its colour. */
  readonly parts: readonly { readonly value: number; readonly kind: string }[];
  /** What its bar comes to, in words. */
  readonly words: string;
}

/** In units of the drawing: a letter of a name, the words of a row, and how far rows are apart. */
const letterWidth = 12.5;
const wordsWidth = 120;
const rowHeight = 26;
const barHeight = 15;
/** Longest name that is drawn whole, in characters: as many as fit in the largest letters. */
const nameLengthMax = 20;

/** A bar for each name, one below the other. Bars of a kind are one path. */
export function Rows({
  id,
  title,
  description,
  legend,
  rows,
}: {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly legend: readonly { readonly kind: string; readonly words: string }[];
  readonly rows: readonly Row[];
}) {
  const sums = rows.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const names = rows.map(({ name }) => shortened(name));
  const nameWidth = 20 + letterWidth * Math.max(0, ...names.map((name) => name.length));
  const most = Math.max(1, ...sums);
  const scale = (frame.width - nameWidth - wordsWidth) / most;
  const paths = new Map<string, string>();
  rows.forEach(({ parts }, at) => {
    let x = nameWidth;
    for (const { value, kind } of parts) {
      if (value <= 0) continue;
      const top = at * rowHeight + (rowHeight - barHeight) / 2;
      const width = point(value * scale);
      const d = `M${point(x)} ${top}h${width}v${barHeight}h-${width}z`;
      paths.set(kind, (paths.get(kind) ?? '') + d);
      x += value * scale;
    }
  });
  return (
    <figure class="chart rows">
      <figcaption>
        <span class="title">{title}</span>
        {legend.map(({ kind, words }) => (
          <span class={`key ${kind}`}>{words}</span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${frame.width} ${rows.length * rowHeight + 2}`} role="img" aria-labelledby={`${id}-title`}>
        <title id={`${id}-title`}>{`${title}. ${description}`}</title>
        <path class="axis" d={`M${nameWidth - 1} 0V${rows.length * rowHeight}`} />
        {[...paths].map(([kind, d]) => (
          <path class={`bar ${kind}`} d={d} />
        ))}
        {rows.map(({ words }, at) => (
          <>
            <text x={nameWidth - 8} y={(at + 0.5) * rowHeight} class="end">
              {names[at]}
            </text>
            <text x={point(nameWidth + sums[at]! * scale + 7)} y={(at + 0.5) * rowHeight}>
              {words}
            </text>
          </>
        ))}
      </svg>
    </figure>
  );
}

/** Names of layers differ at their ends, so the middle of a long one is left out. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= nameLengthMax) return name;
  return `${characters.slice(0, 6).join('')}…${characters.slice(7 - nameLengthMax).join('')}`;
}
