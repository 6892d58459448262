import { HubClient } from '../../src/cli/demo/hub-client.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import { seriesEvalSpec } from '../../src/cli/demo/series-eval-spec.ts';

const evalSet = 'held-out';

export interface LossySettings {
  /** Its graph and batches measure the models. */
  readonly series: Series;
  /** Largest relative degradation of the series' metric. */
  readonly threshold: number;
}

/**
 * Makes a repository quantize weights, inside a threshold on the eval set of a series. Rejects with the hub's errors.
 */
export async function makeLossy(url: string, id: string, { series, threshold }: LossySettings): Promise<void> {
  const hub = new HubClient(url);
  const repository = `/v1/repositories/${id}`;
  const sets = `${repository}/eval-sets`;
  await hub.post(sets, { name: evalSet, spec: seriesEvalSpec(series) });
  await hub.putFile(`${sets}/${evalSet}/graph`, series.graphPath);
  await hub.putFile(`${sets}/${evalSet}/batches`, series.batchesPath);
  await hub.post(`${sets}/${evalSet}/commit`);
  const settings = { fidelity: 'lossy', evalSet, thresholds: { [series.metric]: threshold }, allowLarge: true };
  const answer = await fetch(url + repository, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hub: settings }),
  });
  if (!answer.ok) throw new Error(`${id} cannot be made lossy: ${answer.status} ${await answer.text()}`);
}
