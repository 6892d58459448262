import { listEvalSets } from '../../../clients/typescript/src/index.ts';
import { openSession, repositoryTarget, type HubOptions } from '../hub/session.ts';
import { printTable } from '../terminal/print-table.ts';

/** `firn eval-set list REPOSITORY`. */
export async function list(text: string, options: HubOptions): Promise<void> {
  const repository = repositoryTarget(text);
  const { hub, terminal } = openSession(options);
  const sets = await listEvalSets(hub, repository);
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(sets));
  printTable(
    terminal,
    ['eval set', 'state', 'metrics', 'graph', 'batches', 'created'],
    sets.map(({ name, state, spec, graph, batches, createdAt }) => [
      name,
      state,
      spec.metrics.map((metric) => `${metric.name} (${metric.kind})`).join(', '),
      graph?.sizeBytes,
      batches?.sizeBytes,
      createdAt,
    ]),
  );
}
