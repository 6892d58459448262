import type { FigureGroup, SeriesBytes } from './series-figures.ts';

/** Pixels. */
const width = 720;
const [left, longest, right] = [130, 470, 20];
const [top, headingHeight, barHeight, gap] = [54, 30, 24, 6];
/** Colours of Firn's bars and of the others; both contrast with white, for most eyes. */
const [ourColour, otherColour] = ['#c2410c', '#64748b'];

/**
 * A chart as SVG: a bar for the bytes of each way to store a series, under the heading of its group. The bar's length
 * is proportional to the bytes.
 */
export function bytesChart(groups: readonly FigureGroup[], title: string): string {
  const raw = Math.max(...groups.flatMap(({ bars }) => bars.map(({ bytes }) => bytes)));
  const parts: string[] = [];
  let y = top;
  for (const { heading, bars } of groups) {
    parts.push(`<text x="${right}" y="${y + 18}" font-size="14" fill="#334155">${heading}</text>`);
    y += headingHeight;
    for (const bar of bars) {
      parts.push(...barAt(bar, y, raw));
      y += barHeight + gap;
    }
    y += gap;
  }
  const height = y + gap;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ` +
      `${height}" font-family="sans-serif" font-size="15">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${right}" y="30" font-size="18" font-weight="bold" fill="#0f172a">${title}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function barAt({ name, bytes, asGoodAs, ours }: SeriesBytes, y: number, raw: number): string[] {
  const length = Math.max(1, (longest * bytes) / raw);
  const said = [
    `${megabytes(bytes)} MB`,
    ...(bytes === raw ? [] : [`${(raw / bytes).toFixed(1)}x`]),
    ...(asGoodAs ? [`as good as step ${asGoodAs}`] : []),
  ];
  const weight = ours ? ' font-weight="bold"' : '';
  return [
    `<text x="${left - 10}" y="${y + 17}" text-anchor="end" fill="#0f172a"${weight}>${name}</text>`,
    `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" ` +
      `fill="${ours ? ourColour : otherColour}"/>`,
    `<text x="${(left + length + 10).toFixed(1)}" y="${y + 17}" fill="#0f172a"${weight}>${said.join(', ')}</text>`,
  ];
}

/** Millions of bytes, with three digits. */
function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1);
}
