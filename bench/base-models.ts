/**
 * Bytes of fine-tunes beside their base model: npm run bench:base-models -- BASE.safetensors TUNED.safetensors...
 * [--vocabulary ROWS] [--lossy SERIES --threshold LOSS] [--into FILE --section NAME]
 *
 * Pushes the base, then each fine-tune twice through the routes of hub clients: with a card that names the base, and
 * without. Every file is downloaded again and compared before its bytes count. Beside it: zstd at level 19, a store
 * that keeps equal files once, and one that keeps equal chunks once. With --vocabulary, each fine-tune is also pushed
 * with 'model.' before all names, and with 16 rows more in the tensors that have ROWS rows. With --lossy, fine-tunes go
 * into lossy repositories, whose weights are quantized inside a relative threshold (0.01 by default) on the eval set of
 * that series folder; the base stays exact.
 */
import { compress } from '@cloudpss/zstd/napi';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { readSeries } from '../src/cli/demo/read-series.ts';
import { newChunkBytes } from './base-models/chunk-dedup.ts';
import { makeLossy } from './base-models/lossy-settings.ts';
import { withMoreRows, withPrefix } from './base-models/other-names.ts';
import { pushModel, type StoredModel } from './base-models/push-model.ts';
import { describeRun } from './report/describe-run.ts';
import { writeSection } from './report/write-section.ts';

const args = process.argv.slice(2);
const ran = describeRun('bench:base-models', args);
const { positionals, values } = parseArgs({
  args,
  allowPositionals: true,
  options: {
    vocabulary: { type: 'string' },
    lossy: { type: 'string' },
    threshold: { type: 'string' },
    into: { type: 'string' },
    section: { type: 'string' },
  },
});
const lossy =
  values.lossy === undefined
    ? undefined
    : { series: readSeries(values.lossy), threshold: Number(values.threshold ?? 0.01) };
const [basePath, ...tunedPaths] = positionals;
if (basePath === undefined || tunedPaths.length === 0)
  throw new Error('usage: npm run bench:base-models -- BASE.safetensors TUNED.safetensors...');

const folder = await mkdtemp(join(tmpdir(), 'firn-base-models-'));
const hub = await HubProcess.start(join(folder, 'data'));
const rows: string[] = [];
try {
  const base = await readFile(basePath);
  const stored = await pushModel(hub.url, 'bench/base', { bytes: base, card: 'A base model.' });
  if (lossy === undefined)
    rows.push(row([`the base, ${basename(basePath)}`, base.length, '', stored.storedBytes, compress(base, 19).length]));
  for (const [i, { name, bytes }] of (await allForms(tunedPaths)).entries()) {
    const card = '---\nbase_model: bench/base\n---\n';
    const prepare = lossy && ((id: string) => makeLossy(hub.url, id, lossy));
    const against = await pushModel(hub.url, `bench/tuned-${i}`, { bytes, card, makeLossy: prepare });
    const alone = await pushModel(hub.url, `bench/alone-${i}`, { bytes, card: 'No base.', makeLossy: prepare });
    if (lossy !== undefined) {
      const lost = ({ degradation }: StoredModel): string => percent(degradation?.[lossy.series.metric] ?? NaN);
      const kind = against.kind === 'delta' ? '' : ', no delta';
      rows.push(
        row([`${name}${kind}`, bytes.length, against.storedBytes, lost(against), alone.storedBytes, lost(alone)]),
      );
      process.stderr.write(`${rows.at(-1)}\n`);
      continue;
    }
    const isSame = bytes.equals(base);
    const [zstd, files] = [compress(bytes, 19).length, isSame ? 0 : bytes.length];
    const label = `${name}${against.kind === 'delta' || isSame ? '' : ', no delta'}`;
    rows.push(
      row([label, bytes.length, against.storedBytes, alone.storedBytes, zstd, files, newChunkBytes(bytes, base)]),
    );
    process.stderr.write(`${rows.at(-1)}\n`);
  }
} finally {
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
}
const head =
  lossy === undefined
    ? ['file', 'raw', 'against its base', 'alone', 'zstd 19', 'equal files once', 'equal chunks once']
    : ['file', 'raw', 'against its base', 'lost', 'alone', 'lost'];
const table = [`| ${head.join(' | ')} |`, `| --- |${' ---: |'.repeat(head.length - 1)}`, ...rows].join('\n');
process.stdout.write(`${table}\n`);
if (values.into !== undefined)
  await writeSection({ path: values.into, section: values.section ?? 'base-models' }, `${table}\n\n${ran}`);

/** The fine-tunes, and with --vocabulary their renamed and grown forms. */
async function allForms(paths: readonly string[]): Promise<{ readonly name: string; readonly bytes: Buffer }[]> {
  const forms: { readonly name: string; readonly bytes: Buffer }[] = [];
  for (const path of paths) {
    const [name, bytes] = [basename(path), await readFile(path)];
    forms.push({ name, bytes });
    if (values.vocabulary === undefined) continue;
    forms.push({ name: `${name}, renamed`, bytes: withPrefix(bytes, 'model.') });
    // A graph for the smaller vocabulary does not measure the larger one.
    if (lossy !== undefined) continue;
    const rows = Number(values.vocabulary);
    forms.push({ name: `${name}, 16 rows more`, bytes: withMoreRows(bytes, { rows, added: 16 }) });
  }
  return forms;
}

/** A line of the table; columns that are missing stay empty. */
function row(cells: readonly (string | number)[]): string {
  const all = [...cells, ...Array<string>((lossy === undefined ? 7 : 6) - cells.length).fill('')];
  return `| ${all.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)).join(' | ')} |`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
