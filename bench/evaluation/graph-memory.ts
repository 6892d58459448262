/**
 * Measures the memory that an eval graph with its weights takes in the server. A graph of large matrices under names of
 * its own, half of them transposed, is bound by content to a checkpoint of the same size. Prints peak resident memory
 * above idle and the longest stall of the event loop, and checks the binding. npx tsx bench/evaluation/graph-memory.ts
 * [--matrices 18]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Run } from '../../src/catalog/contract/run-records.ts';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { buildSafetensorsHeader } from '../../src/checkpoint/safetensors/safetensors-header.ts';
import { bindGraph } from '../../src/compress/eval-set/bind-graph.ts';
import type { CompressContext } from '../../src/compress/compress-context.ts';
import type { SourceFile } from '../../src/compress/upload/model-source.ts';
import { buildModel, node, value } from '../../src/graph/onnx/build-model.ts';
import { TensorProtoSchema } from '../../src/graph/onnx/onnx_pb.ts';
import { transposeBytes } from '../../src/graph/elements/transpose-bytes.ts';
import { ByteCache } from '../../src/restore/byte-cache.ts';

/** 32 MiB of fp32. */
const rows = 4096;
const columns = 2048;
const matrixBytes = 4 * rows * columns;
/** Limit of the memory above idle, in MiB, whatever the graph's size. */
const growthMaxMib = 128;
/** Interval of a timer that measures stalls of the event loop, in ms. */
const turnMs = 5;

const { values } = parseArgs({ options: { matrices: { type: 'string', default: '18' }, write: { type: 'string' } } });
const count = Number(values.matrices);
if (values.write === undefined) await main();
else await write(graphIn(values.write), modelIn(values.write));

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'firn-graph-memory-'));
  try {
    // In a separate process, so that making the files does not raise the measured peak.
    const [code] = (await once(
      fork(import.meta.filename, ['--matrices', String(count), '--write', directory]),
      'exit',
    )) as [number | null];
    if (code !== 0) throw new Error('the files could not be written');
    process.exitCode = await measure(graphIn(directory), modelIn(directory));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function graphIn(directory: string): string {
  return join(directory, 'graph.onnx');
}

function modelIn(directory: string): string {
  return join(directory, 'model.safetensors');
}

async function measure(graphPath: string, modelPath: string): Promise<number> {
  const layout = parseSafetensorsHeader(headerBytes(), (await stat(modelPath)).size);
  const handle = await open(modelPath, 'r');
  const files = [
    { path: 'model.safetensors', role: 'model', type: 'safetensors', layout, reader: { stream: streamOf(handle) } },
  ] as unknown as SourceFile[];
  const ctx = {
    catalog: { runs: { setBinding: async () => undefined } },
    graphs: new ByteCache(2 ** 26),
  } as unknown as CompressContext;
  const evalSet = { graphPath, batchesPath: '', spec: { inputs: {}, metrics: [] } };
  const idleMib = statusMib('VmRSS');
  const turns = watchTurns();
  const started = performance.now();
  const { binding } = await bindGraph(ctx, {} as Run, evalSet, files);
  const seconds = (performance.now() - started) / 1000;
  turns.stop();
  await handle.close();
  const right = Array.from({ length: count }, (_, i) => binding[`onnx::MatMul_${i}`]).every(
    (source, i) => source?.tensor === `h.${i}.weight` && source.transpose === (i % 2 === 1),
  );
  const growthMib = statusMib('VmHWM') - idleMib;
  process.stdout.write(
    `${count} matrices, ${(count * matrixBytes) / 2 ** 20} MiB, every second one transposed: bound in ` +
      `${seconds.toFixed(1)} s\n`,
  );
  process.stdout.write(
    `peak ${growthMib.toFixed(0)} MiB over idle (at most ${growthMaxMib}), longest stall of the event loop ` +
      `${turns.longestMs().toFixed(0)} ms\n`,
  );
  if (!right) process.stdout.write('WRONG binding\n');
  return right && growthMib <= growthMaxMib ? 0 : 1;
}

function tensorNames(): string[] {
  return Array.from({ length: count }, (_, i) => `h.${i}.weight`);
}

function headerBytes(): Uint8Array {
  return buildSafetensorsHeader(
    tensorNames().map((name) => ({ name, dtype: 'F32' as const, shape: [rows, columns] })),
    {},
  ).headerBytes;
}

async function write(graphPath: string, modelPath: string): Promise<void> {
  const names = tensorNames();
  const nodes = names.map((_, i) => node('MatMul', ['x', `onnx::MatMul_${i}`], [`y${i}`]));
  const [graph, model] = [await open(graphPath, 'w'), await open(modelPath, 'w')];
  await model.write(headerBytes());
  await graph.write(buildModel({ inputs: [value('x', ['N', rows])], outputs: [value('y0', ['N', columns])], nodes }));
  for (const [i] of names.entries()) {
    const bytes = matrix(i);
    await model.write(bytes);
    await graph.write(initializerHead(`onnx::MatMul_${i}`, i % 2 === 1));
    await graph.write(i % 2 === 1 ? transposeBytes(bytes, { rows, columns, elementBytes: 4 }) : bytes);
  }
  await Promise.all([graph.close(), model.close()]);
}

/** Another piece of the model message with one initializer, up to its data: protobuf merges the pieces. */
function initializerHead(name: string, transposed: boolean): Uint8Array {
  const dims = (transposed ? [columns, rows] : [rows, columns]).map(BigInt);
  const tensor = toBinary(TensorProtoSchema, create(TensorProtoSchema, { name, dims, dataType: 1 }));
  const raw = new BinaryWriter().tag(9, WireType.LengthDelimited).uint32(matrixBytes).finish();
  const tensorLength = tensor.length + raw.length + matrixBytes;
  const initializer = new BinaryWriter().tag(5, WireType.LengthDelimited).uint32(tensorLength).finish();
  const graph = new BinaryWriter()
    .tag(7, WireType.LengthDelimited)
    .uint32(initializer.length + tensorLength)
    .finish();
  return Buffer.concat([graph, initializer, tensor, raw]);
}

function matrix(seed: number): Uint8Array {
  let state = seed + 1;
  const values = new Float32Array(rows * columns);
  for (let i = 0; i < values.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = state / 2 ** 32 - 0.5;
  }
  return new Uint8Array(values.buffer);
}

/** Pieces of 1 MiB, all in the same buffer. */
function streamOf(handle: FileHandle) {
  return async function* (startBytes: number, endBytes: number): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(2 ** 20);
    for (let at = startBytes; at < endBytes;) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, endBytes - at), at);
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  };
}

function watchTurns() {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, turnMs);
  return { stop: () => clearInterval(timer), longestMs: () => longest };
}

function statusMib(field: 'VmRSS' | 'VmHWM'): number {
  const line = readFileSync('/proc/self/status', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${field}:`))!;
  return Number(/(\d+) kB/.exec(line)![1]) / 1024;
}
