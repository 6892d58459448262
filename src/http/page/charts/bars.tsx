import { ChartFrame, frame, point, scaleX, scaleY, type ChartFrameProps } from './chart-frame.tsx';

export interface Bar {
  /** Undefined where there is nothing to draw. */
  readonly value: number | undefined;
  /** Class of its colour. */
  readonly kind: string;
}

/** One bar for each column. Bars of a kind are one path, so that a chart of hundreds stays small. */
export function Bars({
  bars,
  max,
  ...props
}: Omit<ChartFrameProps, 'children'> & { bars: readonly Bar[]; max: number }) {
  const [x, y] = [scaleX(bars.length), scaleY(max)];
  const low = frame.height - frame.bottom;
  const width = Math.min(28, ((frame.width - frame.left - frame.right) / Math.max(1, bars.length)) * 0.72);
  const paths = new Map<string, string>();
  bars.forEach(({ value, kind }, at) => {
    if (value === undefined) return;
    // The least height that can be seen.
    const height = Math.max(1.5, low - y(value));
    const d = `M${point(x(at) - width / 2)} ${low}v-${point(height)}h${point(width)}v${point(height)}z`;
    paths.set(kind, (paths.get(kind) ?? '') + d);
  });
  return (
    <ChartFrame {...props}>
      {[...paths].map(([kind, d]) => (
        <path class={`bar ${kind}`} d={d} />
      ))}
    </ChartFrame>
  );
}
