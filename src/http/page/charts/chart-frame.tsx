import type { Child } from 'hono/jsx';

/** Sizes of a chart, in units of its drawing. The drawing scales with the page. */
export const frame = { width: 720, height: 158, left: 96, right: 8, top: 18, bottom: 26 } as const;

/** Where the value of a chart is drawn: `min` at the bottom of its area, `max` at the top. */
export function scaleY(max: number, min = 0): (value: number) => number {
  const height = frame.height - frame.top - frame.bottom;
  return (value) => frame.top + height * (1 - Math.min(1, Math.max(0, max > min ? (value - min) / (max - min) : 0)));
}

/** The middle of each of `count` columns of equal width. */
export function scaleX(count: number): (at: number) => number {
  const width = frame.width - frame.left - frame.right;
  return (at) => frame.left + (width * (at + 0.5)) / Math.max(1, count);
}

/** A coordinate with one decimal: more cannot be seen. */
export function point(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export interface ChartFrameProps {
  readonly id: string;
  readonly title: string;
  /** What the chart says, for who cannot see it. */
  readonly description: string;
  /** Labels of the top line and the bottom one, which is 0 by default. */
  readonly top: string;
  readonly bottom?: string;
  /** Labels of the first and the last column. */
  readonly ends: readonly [first: string, last: string];
  readonly legend: readonly { readonly kind: string; readonly words: string }[];
  readonly children: Child;
}

/** A chart's title, axes and legend around what it draws. */
export function ChartFrame({
  id,
  title,
  description,
  top,
  bottom: base = '0',
  ends,
  legend,
  children,
}: ChartFrameProps) {
  const { width, height, left, right, bottom } = frame;
  const low = height - bottom;
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">{title}</span>
        {legend.map(({ kind, words }) => (
          <span class={`key ${kind}`}>{words}</span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={`${id}-title`}>
        <title id={`${id}-title`}>{`${title}. ${description}`}</title>
        <path class="axis" d={`M${left} ${frame.top}H${width - right}M${left} ${low}H${width - right}`} />
        <text x={left - 6} y={frame.top + 4} class="end">
          {top}
        </text>
        <text x={left - 6} y={low + 4} class="end">
          {base}
        </text>
        <text x={left} y={height - 6}>
          {ends[0]}
        </text>
        <text x={width - right} y={height - 6} class="end">
          {ends[1]}
        </text>
        {children}
      </svg>
    </figure>
  );
}
