import { HubClient } from '../../src/cli/demo/hub-client.ts';
import { planPushes, prepareHub, pushCheckpoint } from '../../src/cli/demo/push-series.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import { startHub } from '../acceptance/start-hub.ts';

/** Where the series is pushed to. */
export const pageRepository = 'demo/series';

export interface PageHub {
  readonly url: string;
  readonly client: HubClient;
  /** Names of its runs, the one before the fork first. */
  readonly runs: readonly string[];
  close(): Promise<void>;
}

/**
 * A hub of its own with a series of checkpoints: a run, and one that was forked from it. An empty one has the
 * repository with its eval set and a run alone.
 */
export async function startPageHub(series: Series, { isEmpty = false } = {}): Promise<PageHub> {
  const hub = await startHub();
  const client = new HubClient(hub.url);
  const close = async (): Promise<void> => {
    await hub.stop();
  };
  try {
    const { first, fork } = planPushes(series);
    await prepareHub(client, series, {
      repository: pageRepository,
      run: first.run,
      thresholds: { [series.metric]: 0.005 },
      method: 'residual',
      clustering: undefined,
      search: undefined,
    });
    if (isEmpty) return { url: hub.url, client, runs: [first.run], close };
    for (const checkpoint of first.checkpoints)
      await pushCheckpoint(client, pageRepository, first.run, checkpoint, () => undefined);
    if (fork !== undefined) {
      const runs = `/v1/repositories/${pageRepository}/runs`;
      await client.post(runs, { name: fork.run, forkFrom: { run: first.run, step: fork.fromStep } });
      for (const checkpoint of fork.checkpoints)
        await pushCheckpoint(client, pageRepository, fork.run, checkpoint, () => undefined);
    }
    return { url: hub.url, client, runs: [first.run, ...(fork === undefined ? [] : [fork.run])], close };
  } catch (error) {
    await close();
    throw error;
  }
}
