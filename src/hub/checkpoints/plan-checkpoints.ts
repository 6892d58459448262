import { isName } from '../../checkpoint/names.ts';
import { roleByName } from '../../ingest/stage/role-by-name.ts';

/** A file that a commit adds or replaces. */
export interface AddedFile {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Files of a commit that make up one checkpoint. */
export interface PlannedCheckpoint {
  /** Added to the name of the branch's run: '' for the root and for folders of steps, else `.folder`. */
  readonly runSuffix: string;
  /** Taken from the folder's name; the commit or the run decides when absent. */
  readonly step?: number;
  /** Folder of the files, '' for the root. */
  readonly folder: string;
  readonly files: readonly AddedFile[];
}

/** Folders of a training job: `checkpoint-1200`, `step-1200`, `global_step1200`. */
const stepFolder = /^(?:checkpoint|step|global_step|epoch)[-_]?(\d{1,15})$/;
/** In the first line of a commit: `step 1200`, `step=1,200`, `checkpoint-1.2k`, `global_step 1200`. */
const stepsInTitle = /(?:^|[^a-z])(?:global[_ ])?(?:step|checkpoint)s?[-_ =:#]*(\d[\d,.]*(?:k(?![a-z]))?)/gi;
/** A number with a comma before each three digits, or none; with decimals only in thousands: `1.8k`. */
const numberInTitle =
  /^(?<whole>\d{1,15}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(?<decimals>\d{1,3})(?=k))?(?<thousands>k)?$/i;
/** Steps of titles have at most fifteen digits, which a number holds exactly. */
const titleStepMax = 10 ** 15 - 1;
const safetensorsEnding = '.safetensors';

/**
 * Groups the safetensors files of a commit into checkpoints: those of one folder, if model weights are among them.
 * Folders named after steps are steps of the same run; any other folder (`unet`, `adapter`) has a run of its own,
 * because its tensors are others. In order of the steps. Pure.
 */
export function planCheckpoints(added: readonly AddedFile[]): readonly PlannedCheckpoint[] {
  const folders = new Map<string, AddedFile[]>();
  for (const file of added) {
    // An empty file holds no tensors.
    if (!file.path.endsWith(safetensorsEnding) || file.sizeBytes === 0) continue;
    const folder = folderOf(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const planned = [...folders].flatMap(([folder, files]) =>
    files.some(({ path }) => roleByName(path) === 'model') ? [planOf(folder, files)] : [],
  );
  return planned.sort((a, b) => (a.step ?? Infinity) - (b.step ?? Infinity) || (a.folder < b.folder ? -1 : 1));
}

/** The step that the first line of a commit names; undefined for a number that is no clear step, as `1.5`. Pure. */
export function stepOfTitle(title: string): number | undefined {
  for (const [, text = ''] of title.matchAll(stepsInTitle)) {
    // Punctuation at the end is the sentence's.
    const { whole, decimals = '', thousands } = numberInTitle.exec(text.replace(/[,.]+$/, ''))?.groups ?? {};
    if (whole === undefined) continue;
    const digits = whole.replaceAll(',', '') + (thousands === undefined ? '' : decimals.padEnd(3, '0'));
    if (Number(digits) <= titleStepMax) return Number(digits);
  }
  return undefined;
}

/** The step that a folder is named after. Pure. */
export function stepOfFolder(folder: string): number | undefined {
  const [, digits] = stepFolder.exec(folder.slice(folder.lastIndexOf('/') + 1)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** What a folder adds to the name of the branch's run: see `PlannedCheckpoint`. Pure. */
export function runSuffixOf(folder: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  const others = stepOfFolder(folder) === undefined ? parts : parts.slice(0, -1);
  const runSuffix = others.map((part) => `.${part.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-+|-+$/g, '')}`).join('');
  return isName(`run${runSuffix}`) ? runSuffix : '.files';
}

function planOf(folder: string, files: readonly AddedFile[]): PlannedCheckpoint {
  const step = stepOfFolder(folder);
  return { folder, files, runSuffix: runSuffixOf(folder), ...(step !== undefined && { step }) };
}

/** The folder of a path, '' for the root. Pure. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}
