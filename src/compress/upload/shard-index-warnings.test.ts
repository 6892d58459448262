import { describe, expect, it } from 'vitest';
import type { SourceFile } from './model-source.ts';
import { shardIndexWarnings } from './shard-index-warnings.ts';

const shard = (path: string, ...names: string[]) =>
  ({
    path,
    type: 'safetensors',
    sizeBytes: 1,
    layout: { tensors: names.map((name) => ({ name })) },
  }) as unknown as SourceFile;
function index(path: string, content: unknown): SourceFile {
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return {
    path,
    type: 'blob',
    sizeBytes: bytes.length,
    layout: { tensors: [{ name: '' }] },
    reader: { read: async () => bytes },
  } as unknown as SourceFile;
}
const [first, second] = [shard('m/a.safetensors', 'u', 'v'), shard('m/b.safetensors', 'w')];
const path = 'm/model.safetensors.index.json';
const about = `The shard index "${path}"`;
const right = { u: 'a.safetensors', v: 'a.safetensors', w: 'b.safetensors' };

describe('the warnings about a shard index', () => {
  it.each<[string, unknown, string[]]>([
    ['is right', { metadata: { total_size: 1 }, weight_map: right }, []],
    ['names one shard of several', { weight_map: { w: 'b.safetensors' } }, []],
    [
      'swaps two',
      { weight_map: { ...right, u: 'b.safetensors', w: 'a.safetensors' } },
      [`${about} places tensors where they are not: "u", "w".`],
    ],
    [
      'names a file that is not there',
      { weight_map: { ...right, w: 'm/b.safetensors' } },
      [`${about} names shards that the checkpoint lacks: "m/m/b.safetensors" (of "w").`],
    ],
    [
      'names such files, and swaps two',
      { weight_map: { u: 'b.safetensors', w: 'c.safetensors', x: 'd.safetensors' } },
      [
        `${about} names shards that the checkpoint lacks: "m/c.safetensors", "m/d.safetensors" (of "w", ` +
          '"x"); it places tensors where they are not: "u".',
      ],
    ],
    [
      'names a tensor that is not there',
      { weight_map: { ...right, x: 'b.safetensors' } },
      [`${about} places tensors where they are not: "x".`],
    ],
    [
      'leaves one out, and another away',
      { weight_map: { u: 'a.safetensors', w: 'a.safetensors' } },
      [`${about} places tensors where they are not: "w"; it leaves out tensors of the shards it names: "v".`],
    ],
    [
      'has names of the language',
      '{"weight_map": {"__proto__": "a.safetensors"}}',
      [
        `${about} places tensors where they are not: "__proto__"; it leaves out tensors of the shards it ` +
          'names: "u", "v".',
      ],
    ],
    ...['', 'null', '[]', '{}', '{"weight_map": []}', '{"weight_map": {"u": 1}}', '\xff'].map(
      (text): [string, string, string[]] => [
        `is ${JSON.stringify(text)}`,
        text,
        [`${about} has no weight_map of tensor names to file names.`],
      ],
    ),
  ])('that %s', async (_, content, expected) => {
    expect(await shardIndexWarnings([first, index(path, content), second])).toEqual(expected);
  });

  it('looks at no other file', async () => {
    expect(
      await shardIndexWarnings([first, index('m/index.json', '{}'), index('pytorch_model.bin.index.json', '{}')]),
    ).toEqual([]);
  });
});
