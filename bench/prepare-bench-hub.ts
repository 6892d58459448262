import type { HubClient } from '../src/cli/demo/hub-client.ts';
import type { Series } from '../src/cli/demo/read-series.ts';
import { seriesEvalSpec } from '../src/cli/demo/series-eval-spec.ts';

/** Name of the eval set in a bench's repository. */
export const benchEvalSet = 'held-out';

/** Creates a repository `bench/<name>` with the eval set of a series; resolves to its full name. */
export async function prepareBenchHub(hub: HubClient, name: string, series: Series): Promise<string> {
  const evalSet = `/v1/repositories/bench/${name}/eval-sets`;
  await hub.post('/v1/repositories', { namespace: 'bench', name });
  await hub.post(evalSet, { name: benchEvalSet, spec: seriesEvalSpec(series) });
  await hub.putFile(`${evalSet}/${benchEvalSet}/graph`, series.graphPath);
  await hub.putFile(`${evalSet}/${benchEvalSet}/batches`, series.batchesPath);
  await hub.post(`${evalSet}/${benchEvalSet}/commit`);
  return `bench/${name}`;
}
