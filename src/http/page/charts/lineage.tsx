import { frame, point, scaleX } from './chart-frame.tsx';

export interface LineageNode {
  readonly kind: 'base' | 'delta' | 'other';
  /** Column of the ancestor, if it is drawn. */
  readonly ancestor?: number;
  /** Id of the merged package that holds it. */
  readonly merged?: string;
  /** Runs that were forked from it. */
  readonly forks: readonly string[];
}

const height = 96;
const axisY = 48;
/** Most names of forks that are written; more would overlap. */
const namesMax = 8;

/**
 * What builds on what: an arc from each delta to its ancestor, a band under merged packages, a branch for each fork.
 */
export function Lineage({
  id,
  description,
  nodes,
}: {
  id: string;
  description: string;
  nodes: readonly LineageNode[];
}) {
  const x = scaleX(nodes.length);
  const radius = nodes.length > 60 ? 2 : 4;
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">Chains, merges and forks</span>
        <span class="key base">base</span>
        <span class="key delta">delta, with an arc to its ancestor</span>
        {nodes.some(({ merged }) => merged !== undefined) && <span class="key merged">merged package</span>}
        {nodes.some(({ forks }) => forks.length > 0) && <span class="key fork">fork</span>}
      </figcaption>
      <svg viewBox={`0 0 ${frame.width} ${height}`} role="img" aria-labelledby={`${id}-title`}>
        <title id={`${id}-title`}>{`Chains, merges and forks. ${description}`}</title>
        <path class="arc" d={nodes.map((node, at) => arcTo(node.ancestor, at, x)).join('')} />
        <path class="band" d={mergedBands(nodes, x)} />
        {(['base', 'delta', 'other'] as const).map((kind) => (
          <path class={`node ${kind}`} stroke-width={2 * radius} d={nodePaths(nodes, kind, radius)} />
        ))}
        {nodes
          .flatMap(({ forks }, at) => forks.map((fork) => ({ fork, at })))
          .slice(0, namesMax)
          .map(({ fork, at }, i) => (
            <>
              <path class="branch" d={`M${point(x(at))} ${axisY}l14 ${26 + (i % 2) * 12}h10`} />
              <text x={point(x(at) + 27)} y={axisY + 30 + (i % 2) * 12} class={x(at) > 560 ? 'end' : undefined}>
                {fork}
              </text>
            </>
          ))}
      </svg>
    </figure>
  );
}

/** The nodes of a kind as one path: squares for bases, and for others lines of no length, whose round ends are dots. */
function nodePaths(nodes: readonly LineageNode[], kind: LineageNode['kind'], radius: number): string {
  const x = scaleX(nodes.length);
  const [before, width] = kind === 'base' ? [radius, 2 * radius] : [0, 0];
  return nodes.map((node, at) => (node.kind === kind ? `M${point(x(at) - before)} ${axisY}h${width}` : '')).join('');
}

function arcTo(ancestor: number | undefined, at: number, x: (at: number) => number): string {
  if (ancestor === undefined) return '';
  const [from, to] = [x(ancestor), x(at)];
  // Higher the farther, and never out of the picture.
  const rise = Math.min(axisY - 6, 14 + (at - ancestor) * 3);
  return `M${point(from)} ${axisY}Q${point((from + to) / 2)} ${point(axisY - 2 * rise)} ${point(to)} ${axisY}`;
}

function mergedBands(nodes: readonly LineageNode[], x: (at: number) => number): string {
  const half = (x(1) - x(0)) / 2;
  let d = '';
  for (let at = 0; at < nodes.length;) {
    const { merged } = nodes[at]!;
    let end = at + 1;
    while (end < nodes.length && merged !== undefined && nodes[end]!.merged === merged) end++;
    if (merged !== undefined) d += `M${point(x(at) - half * 0.7)} ${axisY + 10}H${point(x(end - 1) + half * 0.7)}`;
    at = end;
  }
  return d;
}
