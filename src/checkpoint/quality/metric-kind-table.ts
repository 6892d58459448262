import { metricKindRules, metricKinds } from './metric-kind.ts';

const heading = ['kind', 'what it is', 'output', 'labels', 'better', 'threshold', 'unit', 'left out'];

/**
 * What each kind of metric takes and gives, as a table in Markdown: that of the API description and of the documents.
 */
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
