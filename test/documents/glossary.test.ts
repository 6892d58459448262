import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkpointStates } from '../../src/catalog/contract/checkpoint-records.ts';
import { deletionReasons } from '../../src/catalog/contract/storage/garbage-records.ts';
import { visibilities } from '../../src/catalog/contract/repository-records.ts';
import { deviceKinds } from '../../src/checkpoint/device-kind.ts';
import { deviceWishes } from '../../src/checkpoint/options/device-wish.ts';
import { scopes } from '../../src/checkpoint/grant.ts';
import { layerTypes } from '../../src/checkpoint/layer-type.ts';
import { quantizationMethods } from '../../src/checkpoint/options/quantization-config.ts';
import { clusteringChoices } from '../../src/checkpoint/options/methods/inshrinkerator-search-options.ts';
import { evalBatchesChoices } from '../../src/checkpoint/options/search-options.ts';
import { hysteresisChoices, roundingChoices } from '../../src/checkpoint/options/methods/residual-search-options.ts';
import { stateFidelities } from '../../src/checkpoint/options/state-options.ts';
import { fidelities, fileRoles } from '../../src/checkpoint/role.ts';
import { configSchema } from '../../src/config-keys.ts';
import { metricKinds } from '../../src/checkpoint/quality/metric-kind.ts';
import { webhookEvents } from '../../src/checkpoint/webhook-events.ts';
import { buildProgram } from '../../src/cli/program/build-program.ts';
import { makeCommands } from '../../src/cli/program/commands.ts';
import { codingRules } from '../../src/package/codings/all-codings.ts';

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
const words = /^## Words\n([\s\S]*?)^## /m.exec(page)![1]!;

test.each<readonly [what: string, values: readonly string[]]>([
  ['states', checkpointStates],
  ['roles', fileRoles],
  ['fidelities', fidelities],
  ['fidelities of optimizer state', stateFidelities],
  ['visibilities', visibilities],
  ['scopes', scopes],
  ['methods', quantizationMethods],
  ['layer types', layerTypes],
  ['roundings', roundingChoices],
  ['hysteresis', hysteresisChoices],
  ['clusterings', clusteringChoices],
  ['batches', evalBatchesChoices],
  ['reasons of a deletion', deletionReasons],
  ['kinds of devices', deviceKinds],
  ['wishes for one', deviceWishes],
])('the glossary has every one of the %s that the API shows', (_, values) => {
  expect(values.filter((value) => !new RegExp(`\`${value}\``).test(words))).toEqual([]);
});

test('the glossary has every kind of coding', () => {
  expect(codingRules.map(({ kind }) => kind).filter((kind) => !words.includes(kind))).toEqual([]);
});

test.each([
  'residual',
  'symbol',
  'rate',
  'GPTQ',
  'rate-distortion',
  'hysteresis',
  'context model',
  'inherited tensor',
  'merged package',
  'codebook',
  'base',
  'delta',
  'chain',
  'ancestor',
  'lineage',
  'reservation',
  'staged',
  'pending deletion',
  'orphan',
  'scrub',
  'quarantine',
  'lease',
  'lag',
  'trial',
  'quantization step',
  'guard',
  'candidate',
  'sharer',
])('the glossary explains "%s"', (word) => {
  expect(words.toLowerCase()).toContain(`**${word.toLowerCase()}**`);
});

/**
 * Words that anybody brings along, or that stand for what they say: of HTTP and JSON, of databases and buckets, of time
 * and number. A word that is not among them has its entry in the glossary.
 */
const plainWords = new Set(
  (
    'active at attempts cause content created etag event events length committed detail example finished have href ' +
    'id items kind ' +
    'limit links name number path remedy result timestamp ' +
    'revoked status title expires sha256 size total words count max min missing ratio evaluation per passed ' +
    'received requested estimated memory newest oldest map radius ' +
    'bucket busy cache concurrency connect connections data database days dir endpoint force gc host idle ' +
    'log level mib migrate ' +
    'minute native options otlp parallel port prefix proxy region s3 secret access key statement ' +
    'style threads timeout trace wait waits ' +
    'trust ttl unready url deadline ' +
    'settings report details summary waiting whoami healthz readyz openapi ' +
    'login logout watch create edit unpack doctor completion serve revoke verify'
  ).split(' '),
);
interface OpenApi {
  readonly paths: object;
  readonly components: { readonly schemas: object };
}
const openApi = JSON.parse(readFileSync(new URL('../../openapi/firn.json', import.meta.url), 'utf8')) as OpenApi;
const commands = buildProgram(
  makeCommands(
    () => expect.fail('no command is run'),
    () => undefined,
  ),
  async () => undefined,
).commands.flatMap((command) => [command, ...command.commands]);

/** Names of what the API has: schemas, and the parts of its paths that are no parameters. */
function resourceNames({ paths, components }: OpenApi): string[] {
  const parts = Object.keys(paths).flatMap((path) => path.split('/').filter((part) => !/^v1$|\{/.test(part)));
  return [...Object.keys(components.schemas), ...parts];
}

/** Names of fields and of parameters of the path and the query. */
function publicNames(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties, in: place, name } = node as { properties?: object; in?: string; name?: string };
  return [
    ...(properties === undefined || Array.isArray(node) ? [] : Object.keys(properties)),
    ...(place === 'path' || place === 'query' ? [name!] : []),
    ...Object.values(node).flatMap(publicNames),
  ];
}

function wordsOf(names: readonly string[]): string[] {
  return names.flatMap((name) => name.match(/[A-Z]?[a-z0-9]+/g) ?? []);
}

/** Whether the glossary has a word, in whatever number. */
const explained = (word: string): boolean => new RegExp(`\\b${word.replace(/(?:ie)?s$/, '')}`, 'i').test(words);

test.each([
  ['the API', 50, () => wordsOf([...publicNames(openApi), ...resourceNames(openApi)])],
  ['events of webhooks', 3, () => wordsOf(webhookEvents)],
  ['the commands', 30, () => wordsOf(commands.map((command) => command.name()))],
  ['the configuration', 50, () => Object.keys(configSchema.shape).flatMap((key) => key.split('_').slice(1))],
])('a word in a name of %s is in the glossary, or plain', (_, moreThan, namesOf) => {
  const all = [...new Set(namesOf().map((word) => word.toLowerCase()))];
  expect(all.length).toBeGreaterThan(moreThan);
  expect(all.filter((word) => !plainWords.has(word) && !explained(word))).toEqual([]);
});

test('the guide explains each kind of metric', () => {
  const guide = readFileSync(new URL('../../docs/guide/eval-sets.md', import.meta.url), 'utf8');
  expect(metricKinds.filter((kind) => !guide.includes(`\`${kind}\``))).toEqual([]);
});
