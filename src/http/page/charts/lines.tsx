import { ChartFrame, point, scaleX, scaleY, type ChartFrameProps } from './chart-frame.tsx';

export interface Line {
  readonly kind: string;
  /** One for each column; undefined or not finite where the line has a gap. */
  readonly values: readonly (number | undefined)[];
  /** Whether each value has a dot. */
  readonly hasDots: boolean;
}

/** Lines over columns of equal width. */
export function Lines({
  lines,
  max,
  ...props
}: Omit<ChartFrameProps, 'children'> & { lines: readonly Line[]; max: number }) {
  return (
    <ChartFrame {...props}>
      {lines.map((line) => (
        <path class={`line ${line.kind}${line.hasDots ? ' dots' : ''}`} d={pathOf(line, max)} />
      ))}
    </ChartFrame>
  );
}

function pathOf({ values, hasDots }: Line, max: number): string {
  const [x, y] = [scaleX(values.length), scaleY(max)];
  const half = (x(1) - x(0)) / 2;
  let d = '';
  let isDrawing = false;
  values.forEach((value, at) => {
    if (value === undefined || !Number.isFinite(value)) {
      isDrawing = false;
      return;
    }
    // A limit is drawn over the whole width of its column; a measured value is a point, with a dot of no length.
    d += hasDots
      ? `${isDrawing ? 'L' : 'M'}${point(x(at))} ${point(y(value))}h0`
      : `${isDrawing ? 'L' : 'M'}${point(x(at) - half)} ${point(y(value))}h${point(2 * half)}`;
    isDrawing = true;
  });
  return d;
}
