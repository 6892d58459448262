import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubApi } from './hub-api.ts';
import { createRepository } from './hub-fixtures.ts';
import { startHub, type Hub } from './start-hub.ts';
import type { Mistake } from './wrong-eval-sets/mistake.ts';
import { isSilentlyWrong, meets, tryMistake } from './wrong-eval-sets/outcome.ts';
import { wrongConstants } from './wrong-eval-sets/wrong-constants.ts';
import { wrongGraphs } from './wrong-eval-sets/wrong-graphs.ts';
import { wrongLabels } from './wrong-eval-sets/wrong-labels.ts';
import { wrongWeights } from './wrong-eval-sets/wrong-weights.ts';

let hub: Hub;
let api: HubApi;
let repository: string;
let made = 0;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'mistakes');
});

afterAll(() => hub?.stop());

describe.each<[string, readonly Mistake[]]>([
  ['labels and rows', wrongLabels],
  ['graphs and inputs', wrongGraphs],
  ['weights and names', wrongWeights],
  ['constants', wrongConstants],
])('an eval set with something odd about its %s', (_, mistakes) => {
  test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
    '%s: is refused, doubted, or right',
    async (_name, mistake) => {
      const outcome = await tryMistake(api, repository, `mistake-${++made}`, mistake);
      const shown = JSON.stringify({ outcome, truth: mistake.truth });
      expect(isSilentlyWrong(outcome, mistake), shown).toBe(false);
      expect(
        mistake.expected.some((expected) => meets(outcome, expected, mistake.truth)),
        shown,
      ).toBe(true);
    },
  );
});
