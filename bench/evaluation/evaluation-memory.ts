/**
 * Measures the memory of an evaluation child by weights, rows fed at once and classes:
 * `npx tsx bench/evaluation/evaluation-memory.ts`. It starts a child for each case, evaluates once, and prints the most
 * bytes that the child owned, which is what FIRN_EVAL_MEMORY_MIB bounds. Files that are mapped do not count. The models
 * are those of evaluation-cost.ts. docs/operations.md quotes the figures ("Sizing by model size"). Linux only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childCommand } from '../../src/evaluate/child/child-command.ts';
import { EvaluationChild } from '../../src/evaluate/child/evaluation-child.ts';
import { EvalFiles } from '../../src/evaluate/eval-files.test-support.ts';
import { syntheticRequest, type SyntheticShape } from './synthetic-request.ts';

const limits = { deadlineMs: 600_000, memoryMaxBytes: 16 * 2 ** 30 };
/** How often the child's memory is read, in ms. */
const pollMs = 5;
const mib = 2 ** 20;

const small = { width: 256, layers: 2, positions: 512, classes: 256, batchRows: 256 } as const;
const cases: readonly SyntheticShape[] = [
  small,
  { ...small, width: 1024, layers: 12 },
  { ...small, width: 2048, layers: 24 },
  { ...small, width: 1024, layers: 12, dtype: 'F16' },
  { ...small, width: 2048, layers: 24, dtype: 'F16' },
  { ...small, classes: 16_384 },
  { ...small, classes: 16_384, batchRows: 64 },
];

async function peakBytes(shape: SyntheticShape): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-evaluation-memory-'));
  const child = new EvaluationChild(childCommand(limits));
  let peak = 0;
  const poll = setInterval(() => {
    void child.memoryBytes().then((bytes) => (peak = Math.max(peak, bytes ?? 0)));
  }, pollMs);
  try {
    const request = syntheticRequest(new EvalFiles(folder), shape);
    const reply = await child.ask({ kind: 'evaluate', request }, limits);
    if (reply.kind !== 'evaluated') throw new Error(JSON.stringify(reply));
    return peak;
  } finally {
    clearInterval(poll);
    await child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

console.log('| weights | in the file | rows at once | classes | MiB owned at most |');
console.log('| ---: | --- | ---: | ---: | ---: |');
for (const shape of cases) {
  const { width, layers, classes, batchRows, dtype = 'F32' } = shape;
  const weights = layers * width * width + width * classes;
  const peak = await peakBytes(shape);
  const columns = [weights.toLocaleString('en-US'), dtype, batchRows, classes.toLocaleString('en-US')];
  console.log(`| ${columns.join(' | ')} | ${Math.round(peak / mib)} |`);
}
