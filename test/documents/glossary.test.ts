import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkpointStates } from '../../src/catalog/contract/checkpoint-records.ts';
import { deletionReasons } from '../../src/catalog/contract/garbage-records.ts';
import { visibilities } from '../../src/catalog/contract/repository-records.ts';
import { scopes } from '../../src/checkpoint/grant.ts';
import { layerTypes } from '../../src/checkpoint/layer-type.ts';
import { quantizationMethods } from '../../src/checkpoint/options/quantization-config.ts';
import {
  clusteringChoices,
  evalBatchesChoices,
  hysteresisChoices,
  roundingChoices,
} from '../../src/checkpoint/options/search-options.ts';
import { stateFidelities } from '../../src/checkpoint/options/state-options.ts';
import { fidelities, fileRoles } from '../../src/checkpoint/role.ts';
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
])('the glossary explains "%s"', (word) => {
  expect(words.toLowerCase()).toContain(`**${word.toLowerCase()}**`);
});
