import { formatTarget, uploadEvalSet } from '../../../clients/typescript/src/index.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { makeRepository } from '../hub/make-repository.ts';
import { openSession, repositoryTarget, type HubOptions } from '../hub/session.ts';
import { progressInWords } from '../terminal/amounts.ts';
import { chooseSpec } from './choose-spec.ts';

/** Cache of described graphs, in bytes; there is only one. */
const graphCacheBytes = 64 * 2 ** 20;

export interface UploadCommand extends HubOptions {
  readonly spec?: string;
  readonly kind?: MetricKind;
  /** `RUN@STEP`. */
  readonly check?: string;
}

/** `firn eval-set upload REPOSITORY NAME GRAPH BATCHES`: creates an eval set, sends its files, and commits it. */
export async function upload(
  { repository, name, graph, batches }: Readonly<Record<'repository' | 'name' | 'graph' | 'batches', string>>,
  options: UploadCommand,
): Promise<void> {
  const target = repositoryTarget(repository);
  const { spec, isGuessed } = await chooseSpec({ graph, batches }, options, new ByteCache(graphCacheBytes));
  const session = openSession(options);
  const { hub, terminal } = session;
  if (isGuessed) terminal.remark(`the spec is guessed (give your own with --spec): ${JSON.stringify(spec)}`);
  await makeRepository(session, target);
  const begun = Date.now();
  const made = await uploadEvalSet(hub, {
    ...{ repository: target, name, graph, batches },
    ...(options.check !== undefined && { check: options.check }),
    spec: spec as Parameters<typeof uploadEvalSet>[1]['spec'],
    onProgress: (sent, total) => terminal.progress(progressInWords(name, sent, total, Date.now() - begun)),
  });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(made));
  const metrics = made.spec.metrics.map((metric) => `${metric.name} (${metric.kind})`).join(', ');
  terminal.say(`${formatTarget(target)}: the eval set ${name} is ${made.state}, with ${metrics}`);
}
