import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { z } from 'zod';

/** Ending of an index of shards, as on model hubs. */
const indexEnding = '.safetensors.index.json';
/** Largest index, in bytes. */
const indexMaxBytes = 64 * 1024 * 1024;

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** A model file of a checkpoint on disk, and its name at a hub. */
export interface ModelFile {
  readonly path: string;
  readonly from: string;
}

/**
 * The files of a series' `file`: itself or, if it is an index, the shards that it names, in the order of their names.
 * At the hub the files of all checkpoints have the same names, even if the names on disk contain the step, because a
 * delta refers to the file of the same path. The index is not uploaded, because it holds the names on disk. Throws an
 * Error with one sentence for an invalid index. A missing file stands for itself.
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

/** Path of a checkpoint's sensitivities, if it has any: its file's name with `.grad` before the ending. */
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
