import type { MethodResult } from '../method-result.ts';

const size = { width: 1260, height: 640 } as const;
/** Margins of the plot, in pixels; the legend is on the right. */
const margin = { left: 70, top: 50, right: 390, bottom: 60 } as const;
/**
 * Distinguishable on white for most eyes. Dashes and marks, which repeat with other periods, separate similar colours.
 */
const colours = [
  '#d62728',
  '#1f77b4',
  '#2ca02c',
  '#9467bd',
  '#ff7f0e',
  '#17becf',
  '#8c564b',
  '#e377c2',
  '#999999',
  '#bcbd22',
  '#000000',
  '#7fc97f',
];
const dashes = ['', '7 3', '2 3'];
/** Paths around the origin. */
const marks = [
  '<circle r="3"/>',
  '<rect x="-3" y="-3" width="6" height="6"/>',
  '<path d="M0-4 4 3H-4Z"/>',
  '<path d="M0-4 4 0 0 4-4 0Z"/>',
  '<path d="M0 4 4-3H-4Z"/>',
] as const;
/** Pixels between lines of the legend. */
const legendLine = 24;

/** A chart as SVG: the ratio of every checkpoint under every method, on a logarithmic axis. */
export function ratioChart(results: readonly MethodResult[], title: string): string {
  const lines = results.map(({ outcomes }) => outcomes.map(({ rawBytes, bytes }) => rawBytes / bytes));
  const steps = results[0]?.outcomes.map(({ step }) => step) ?? [];
  const axis = logAxis(lines.flat());
  const x = (i: number): number =>
    margin.left + ((size.width - margin.left - margin.right) * i) / Math.max(1, steps.length - 1);
  const y = (ratio: number): number =>
    size.height - margin.bottom - (size.height - margin.top - margin.bottom) * axis.share(ratio);
  const bottom = size.height - margin.bottom;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ` +
      `${size.width} ${size.height}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${margin.left}" y="28" font-size="17">${escaped(title)}</text>`,
    ...axis.ticks.map(
      (tick) =>
        `<line x1="${margin.left}" x2="${size.width - margin.right}" y1="${y(tick).toFixed(1)}" ` +
        `y2="${y(tick).toFixed(1)}" stroke="#ddd"/>` +
        `<text x="${margin.left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${tick}x</text>`,
    ),
    ...steps.map(
      (step, i) => `<text x="${x(i).toFixed(1)}" y="${bottom + 20}" text-anchor="middle" font-size="11">${step}</text>`,
    ),
    `<text x="${(margin.left + size.width - margin.right) / 2}" y="${bottom + 44}" ` +
      'text-anchor="middle">training step of the checkpoint</text>',
    `<text transform="translate(18 ${(margin.top + bottom) / 2}) rotate(-90)" text-anchor="middle">raw bytes ` +
      '/ stored bytes</text>',
    // Our line is drawn last, on top.
    ...lines
      .map((line, method) =>
        polyline(
          line.map((ratio, i) => [x(i), y(ratio)] as const),
          method,
        ),
      )
      .reverse(),
    ...legend(results),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Ticks at 1, 2 and 5 times powers of ten around the values. */
function logAxis(values: readonly number[]): { ticks: number[]; share: (value: number) => number } {
  const all = [-1, 0, 1, 2, 3, 4].flatMap((power) =>
    [1, 2, 5].map((digit) => Number((digit * 10 ** power).toPrecision(1))),
  );
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const from = Math.max(
    0,
    all.findLastIndex((tick) => tick <= lowest),
  );
  const above = all.findIndex((tick) => tick >= highest);
  const ticks = all.slice(from, (above < 0 ? all.length - 1 : Math.max(above, from + 1)) + 1);
  const [low, high] = [Math.log(ticks[0]!), Math.log(ticks.at(-1)!)];
  return { ticks, share: (value) => (Math.log(value) - low) / (high - low) };
}

function polyline(points: readonly (readonly [number, number])[], method: number): string {
  const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ');
  return (
    `<polyline points="${path}" fill="none" ` +
    `${strokeOf(method)}/>${points.map(([px, py]) => markAt(px, py, method)).join('')}`
  );
}

/** In the order of the ratios over the whole series, because most lines lie above each other in that order. */
function legend(results: readonly MethodResult[]): string[] {
  const entries = results.map(({ name, outcomes }, method) => {
    const raw = outcomes.reduce((sum, outcome) => sum + outcome.rawBytes, 0);
    return { name, method, ratio: raw / outcomes.reduce((sum, outcome) => sum + outcome.bytes, 0) };
  });
  return entries
    .sort((a, b) => b.ratio - a.ratio)
    .map(({ name, method, ratio }, line) => {
      const [x, y] = [size.width - margin.right + 24, margin.top + 12 + line * legendLine];
      const stroke = `<line x1="${x}" x2="${x + 34}" y1="${y}" y2="${y}" ${strokeOf(method)}/>`;
      const label = `<text x="${x + 42}" y="${y + 4}">${escaped(name)}: ${ratio.toFixed(1)}x</text>`;
      return `${stroke}${markAt(x + 17, y, method)}${label}`;
    });
}

function markAt(x: number, y: number, method: number): string {
  return (
    `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" ` +
    `fill="${colourOf(method)}">${marks[method % marks.length]}</g>`
  );
}

/** The first method is ours, and has a thicker line. */
function strokeOf(method: number): string {
  const dash = dashes[method % dashes.length]!;
  return (
    `stroke="${colourOf(method)}" ` +
    `stroke-width="${method === 0 ? 3.5 : 1.8}"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`
  );
}

function colourOf(method: number): string {
  return colours[method % colours.length]!;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
