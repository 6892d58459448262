import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFirn } from '../program/run-firn.test-support.ts';

const series = fileURLToPath(new URL('../../../examples/lm-small', import.meta.url));
const [graph, batches, checkpoint] = ['model.onnx', 'eval.safetensors', 'ckpt_09.safetensors'].map((name) =>
  join(series, name),
) as [string, string, string];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-eval-set-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, said, complained } = await runFirn('eval-set', ...args);
  return { code, out: said.join('\n'), err: complained.join('\n') };
}

/** A new folder with an index of three shards without those of the given numbers; returns the index's path. */
function shardsBut(...missing: readonly number[]): string {
  const at = mkdtempSync(join(folder, 'shards-'));
  const names = [1, 2, 3].map((number) => `model-0000${number}-of-00003.safetensors`);
  for (const [index, name] of names.entries()) if (!missing.includes(index + 1)) writeFileSync(join(at, name), '');
  const path = join(at, 'model.safetensors.index.json');
  writeFileSync(path, JSON.stringify({ weight_map: Object.fromEntries(names.map((name) => [`w of ${name}`, name])) }));
  return path;
}

describe('firn eval-set check', () => {
  test('says how everything is read and what it measures, with a spec that it guesses', async () => {
    const { code, out, err } = await run('check', graph, batches, checkpoint);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/"loss": cross-entropy of logits \[48, 128, 1024\] with labels \[48, 128\], 6,144 positions;/);
    expect(out).toMatch(/6,144 positions; 4\.\d+ \(6.9315 for guessing\)/);
    expect(out).toMatch(/On the even and the odd batches: "loss"/);
    expect(out).toMatch(/40 weights of the graph are bound by name/);
    expect(out).toMatch(/One evaluation took \d+\.\d\d s here/);
    expect(out).toContain('"inputs":{"idx":"inputs"}');
    expect(out).not.toContain('warning');
  });

  test('takes a spec, and prints JSON for programs', async () => {
    const spec = { inputs: { idx: 'inputs' }, metrics: [{ name: 'same', kind: 'agreement', output: 'logits' }] };
    const path = join(folder, 'spec.json');
    writeFileSync(path, JSON.stringify(spec));
    const { code, out } = await run('check', graph, batches, checkpoint, '--spec', path, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      spec,
      values: { same: 1 },
      warnings: [],
      understood: expect.any(Array),
      secondsPerEvaluation: expect.any(Number),
    });
  });

  test.each<[string, () => string[], RegExp]>([
    ['another verb', () => ['chek'], /there is no command "chek"; perhaps check; write one of make, check/],
    [
      'a missing argument',
      () => ['check', graph, batches],
      /missing required argument 'CHECKPOINT' \(firn eval-set check --help says how\)/,
    ],
    [
      'an unknown kind',
      () => ['check', graph, batches, checkpoint, '--kind', 'bleu'],
      /'bleu' is invalid. Allowed choices are loss/,
    ],
    ['a file that is not there', () => ['check', graph, join(folder, 'none'), checkpoint], /there is no .*none/],
    [
      'an index whose shard is missing',
      () => ['check', graph, batches, shardsBut(2)],
      /index\.json names model-00002-of-00003\.safetensors, .*put all 3 shards/,
    ],
    [
      'a folder with such an index',
      () => ['check', graph, batches, dirname(shardsBut(1, 3))],
      /names model-00001-of-00003\.safetensors and 1 more, .*put all 3/,
    ],
    ['a folder without a model', () => ['check', graph, batches, folder], /has no model.safetensors/],
    [
      'a spec that is none',
      () => ['check', graph, batches, checkpoint, '--spec', batches],
      /is larger than|is not JSON/,
    ],
    [
      'batches for a checkpoint',
      () => ['check', graph, batches, batches],
      /^firn eval-set check: No tensor of the checkpoint fills "wte\.weight", "wpe\.weight"/,
    ],
  ])('refuses %s in a sentence', async (_, args, sentence) => {
    const { code, out, err } = await run(...args());
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(sentence);
  });
});
