import { ChartFrame, point, scaleX, scaleY, type ChartFrameProps } from './chart-frame.tsx';

export interface Line {
  readonly kind: string;
  /** One for each column; undefined or not finite where the line has a gap. */
  readonly values: readonly (number | undefined)[];
  /** Whether each value has a dot. */
  readonly hasDots: boolean;
}

/** Most values that have dots: those of more would touch. */
const dotsMax = 60;

/** Lines over columns of equal width. */
export function Lines({
  lines,
  max,
  min = 0,
  ...props
}: Omit<ChartFrameProps, 'children'> & { lines: readonly Line[]; max: number; min?: number }) {
  const y = scaleY(max, min);
  return (
    <ChartFrame {...props}>
      {lines.map((line) => (
        <>
          <path class={`line ${line.kind}`} d={pathOf(line, y)} />
          {line.hasDots && line.values.length <= dotsMax && <path class={`dot ${line.kind}`} d={dotsOf(line, y)} />}
        </>
      ))}
    </ChartFrame>
  );
}

/** A path of no length at each value: round ends make dots of them. */
function dotsOf({ values }: Line, y: (value: number) => number): string {
  const x = scaleX(values.length);
  return values
    .map((value, at) => (value === undefined || !Number.isFinite(value) ? '' : `M${point(x(at))} ${point(y(value))}h0`))
    .join('');
}

function pathOf({ values, hasDots }: Line, y: (value: number) => number): string {
  const x = scaleX(values.length);
  const half = (x(1) - x(0)) / 2;
  let d = '';
  let isDrawing = false;
  values.forEach((value, at) => {
    if (value === undefined || !Number.isFinite(value)) {
      isDrawing = false;
      return;
    }
    // A limit is drawn over the whole width of its column, a measured value as a point.
    d += hasDots
      ? `${isDrawing ? 'L' : 'M'}${point(x(at))} ${point(y(value))}`
      : `${isDrawing ? 'L' : 'M'}${point(x(at) - half)} ${point(y(value))}h${point(2 * half)}`;
    isDrawing = true;
  });
  return d;
}
