import { readFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { requestMetrics } from '../src/http/watch/request-metrics.ts';
import { webhookMetrics } from '../src/process/start-webhooks.ts';
import { registerProcessMetrics, scrubMetrics } from '../src/upkeep/process-metrics.ts';
import { cacheMetrics, restoreMetrics, storeMetrics } from '../src/upkeep/storage-metrics.ts';
import { countDeviceFailures, workMetrics } from '../src/upkeep/work-metrics.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

/** Every series that a hub may have. No values are read, because the parts do not exist here. */
function seriesNames(): Set<string> {
  const registry = new Registry();
  registerProcessMetrics(registry, { catalog: {} as never, core: {} as never, jobKinds: [] });
  const ofWork = [workMetrics, countDeviceFailures];
  const parts = [scrubMetrics, ...ofWork, storeMetrics, restoreMetrics, requestMetrics, webhookMetrics];
  for (const register of parts) register(registry);
  cacheMetrics(registry, () => ({}));
  return new Set(
    registry
      .getMetricsAsArray()
      .flatMap(({ name, type }) =>
        (type as unknown) === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
      ),
  );
}

const read = (path: string): Promise<string> => readFile(new URL(`../docs/${path}`, import.meta.url), 'utf8');

test('every alert asks for series that are there, and says what is the matter', async () => {
  const known = seriesNames();
  const rules = (parse(await read('prometheus-alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr, annotations } of rules) {
    const asked = expr.match(/firn_\w+/g) ?? [];
    expect(asked.length, alert).toBeGreaterThan(0);
    for (const name of asked) expect(known, alert).toContain(name);
    expect(annotations.summary, alert).toMatch(/\.$/);
  }
});

test('docs/operations.md names every series of Firn itself, and none that is not there', async () => {
  const known = [...seriesNames()]
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
    .filter((name) => !/^firn_(process|nodejs)_/.test(name));
  const told = [...(await read('operations.md')).matchAll(/`(firn_[a-z_]+)`/g)]
    .map(([, name]) => name!)
    .filter((name) => !/^firn_(process|nodejs)_/.test(name));
  expect(new Set(told)).toEqual(new Set(known));
});
