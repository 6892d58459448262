import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ByteCache } from '../../restore/byte-cache.ts';
import { describeLocalGraph, type GraphCache } from './describe-local-graph.ts';
import { tinyGraph } from '../harness/tiny-model.test-support.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-local-graph-'));
  path = join(directory, 'graph.onnx');
  await writeFile(path, tinyGraph());
});
afterEach(() => rm(directory, { recursive: true }));

test('a graph is read once for all checkpoints that are measured by it, as long as the cache has room', async () => {
  const cache: GraphCache = new ByteCache(2 ** 20);
  const first = await describeLocalGraph(cache, path);
  expect(first.initializers.map((each) => each.name)).toEqual(['embed.weight', 'fc.weight', 'fc.bias', 'head.weight']);
  await rm(path);
  expect(await describeLocalGraph(cache, path)).toBe(first);
  expect(cache.usedBytes).toBe(first.memoryBytes);
  await expect(describeLocalGraph(new ByteCache(2 ** 20), path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('one that is refused is not remembered', async () => {
  const cache: GraphCache = new ByteCache(2 ** 20);
  await writeFile(path, 'no graph');
  await expect(describeLocalGraph(cache, path)).rejects.toMatchObject({ code: 'graph-invalid' });
  await writeFile(path, tinyGraph());
  expect((await describeLocalGraph(cache, path)).initializers).toHaveLength(4);
});
