import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** Most files of one checkpoint that are looked at. */
const filesMax = 10_000;
/** Folders as a Trainer names them. */
const trainerFolder = /^checkpoint-(0|[1-9]\d{0,14})$/;
const weights = /\.safetensors$/;
/** Pickled weights. The hub opens no pickles, and beside safetensors they are the same weights once more. */
const pickledWeights = /^(pytorch_model.*|consolidated.*)\.(bin|pth?)$/;

export interface LocalFile {
  /** Path in the checkpoint, with slashes. */
  readonly path: string;
  /** Path on this disk. */
  readonly from: string;
  readonly sizeBytes: number;
  readonly role?: 'model' | 'sensitivity' | 'optimizer' | 'other';
}

export interface LocalCheckpoint {
  /** The number at the end of the folder's name; absent if it has none. */
  readonly step: number | undefined;
  readonly files: readonly LocalFile[];
  /** Files that are left out, by path. */
  readonly leftOut: readonly string[];
  /** Files and folders that are left out because their names begin with a dot, by path. */
  readonly hidden: readonly string[];
}

/** Called with what of an output folder is not pushed. */
export interface LeftOutOfFolder {
  /** A folder of a step without a file. */
  readonly onEmpty?: (folder: string) => void;
  /** Weights that lie beside the folders of the steps, by path. */
  readonly onBeside?: (weights: readonly string[]) => void;
}

/**
 * The checkpoints of a path, by step: a file; a folder; or a Trainer's output folder, which has one folder
 * `checkpoint-N` for each step. Such a folder without a file, which a Trainer may be about to fill, is left out, and so
 * are weights beside those folders; the callbacks are called with them. Throws an Error with one sentence if there is
 * nothing to push.
 */
export function findCheckpoints(path: string, { onEmpty, onBeside }: LeftOutOfFolder = {}): LocalCheckpoint[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no ${path}.`);
  if (!found.isDirectory()) return [oneFile(path, found.size)];
  const entries = readdirSync(path, { withFileTypes: true });
  const steps = entries
    .filter((entry) => entry.isDirectory() && trainerFolder.test(entry.name))
    .map((entry) => ({ step: stepOf(entry.name)!, folder: join(path, entry.name) }))
    .sort((a, b) => a.step - b.step);
  if (steps.length === 0) return [present(oneFolder(path, stepOf(basename(resolve(path)))), path)];
  const beside = entries.filter((entry) => !entry.isDirectory() && weights.test(entry.name)).map(({ name }) => name);
  if (beside.length > 0) onBeside?.(beside.sort().map((name) => join(path, name)));
  const checkpoints = steps.flatMap(({ step, folder }) => {
    const checkpoint = oneFolder(folder, step);
    if (checkpoint.files.length > 0) return [checkpoint];
    onEmpty?.(folder);
    return [];
  });
  if (checkpoints.length === 0) throw new Error(`There is no file in the folders checkpoint-N of ${path}.`);
  return checkpoints;
}

function present(checkpoint: LocalCheckpoint, folder: string): LocalCheckpoint {
  if (checkpoint.files.length === 0) throw new Error(`There is no file in ${folder}.`);
  return checkpoint;
}

function stepOf(name: string): number | undefined {
  const digits = trainerFolder.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A single file of weights has the same name in every checkpoint, since a delta refers to the file of its name. */
function oneFile(path: string, sizeBytes: number): LocalCheckpoint {
  const file = { path: weights.test(path) ? 'model.safetensors' : basename(path), from: path, sizeBytes };
  return { step: undefined, files: [file], leftOut: [], hidden: [] };
}

function oneFolder(folder: string, step: number | undefined): LocalCheckpoint {
  const hidden: string[] = [];
  const all = filesBelow(folder, '', hidden);
  const hasWeights = all.some(({ path }) => weights.test(path));
  const isLeftOut = ({ path }: LocalFile): boolean => hasWeights && pickledWeights.test(path);
  const files = all.filter((file) => !isLeftOut(file));
  return { step, files, leftOut: all.filter(isLeftOut).map(({ path }) => path), hidden: hidden.sort() };
}

/** Links to files are followed, links to folders are not. What is hidden is added to `hidden`. */
function filesBelow(folder: string, prefix: string, hidden: string[]): LocalFile[] {
  const files: LocalFile[] = [];
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.name.startsWith('.')) hidden.push(path);
    else if (entry.isDirectory()) files.push(...filesBelow(folder, path, hidden));
    else {
      const stat = statSync(join(folder, path), { throwIfNoEntry: false });
      if (stat?.isFile() === true) files.push({ path, from: join(folder, path), sizeBytes: stat.size });
    }
    if (files.length > filesMax) throw new Error(`${folder} has more than ${filesMax} files.`);
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
