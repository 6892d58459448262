import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { z } from 'zod';

/** Ending of an index of shards, as model hubs write it. */
const indexEnding = '.safetensors.index.json';
/** Largest index read, in bytes. */
const indexMaxBytes = 64 * 1024 * 1024;

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** A file of a checkpoint's model on disk, and its name at a hub. */
export interface ModelFile {
  readonly path: string;
  readonly from: string;
}

/**
 * What a series' `file` stands for: itself, or, where it is an index, the shards that it names beside it, in the order
 * of their names. At the hub every checkpoint calls them alike, whatever step the names on disk carry: a delta refers
 * to the file of the same path. The index stays on disk, for it holds the names on disk. Throws an Error with one
 * sentence for an index that is none. A file that is not there stands for itself.
 */
export function modelFiles(file: string): ModelFile[] {
  if (!file.endsWith(indexEnding) || !existsSync(file)) return [{ path: 'model.safetensors', from: file }];
  const names = shardNames(file);
  const fiveDigits = (count: number): string => String(count).padStart(5, '0');
  return names.map((name, at) => ({
    path: `model-${fiveDigits(at + 1)}-of-${fiveDigits(names.length)}.safetensors`,
    from: join(dirname(file), name),
  }));
}

/** Where the sensitivities of a checkpoint are, if it has any: its file's name with `.grad` before the ending. */
export function sensitivityPathOf(file: string): string {
  if (file.endsWith(indexEnding)) return `${file.slice(0, -indexEnding.length)}.grad.safetensors`;
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.grad${ext}`);
}

function shardNames(path: string): string[] {
  if (statSync(path).size > indexMaxBytes) throw new Error(`${path} is larger than ${indexMaxBytes} bytes`);
  const index = indexSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  if (!index.success) throw new Error(`${path} is not an index of shards: it has no "weight_map" of names`);
  const names = [...new Set(Object.values(index.data.weight_map))].sort();
  if (names.length === 0) throw new Error(`${path} names no shards`);
  const elsewhere = names.find((name) => name === '' || name !== basename(name) || name.startsWith('.'));
  if (elsewhere !== undefined)
    throw new Error(`${path} names ${JSON.stringify(elsewhere)}, which is not a file beside it`);
  return names;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
