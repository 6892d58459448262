import { metricKindRules, metricKinds } from './metric-kind.ts';

const heading = ['kind', 'what it is', 'output', 'labels', 'better', 'threshold', 'unit', 'left out'];

/** The inputs and the result of each kind of metric as a Markdown table, for the API description and the documents. */
export function metricKindTable(): string {
  const rows = metricKinds.map((kind) => {
    const { meaning, output, labels, higherIsBetter, bound, unit, masks } = metricKindRules[kind];
    return [`\`${kind}\``, meaning, output, labels, higherIsBetter ? 'higher' : 'lower', bound, unit, masks];
  });
  return [heading, heading.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(escaped).join(' | ')} |`)
    .join('\n');
}

/** A bar would end its cell. */
function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
