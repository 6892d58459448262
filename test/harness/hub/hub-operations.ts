import { pick } from '../ask.ts';
import { Refused, type HubCaller } from './hub-caller.ts';
import { chunkedFile, fileOfTwoParts, noiseFile, textFile, type HubFile } from './hub-file.ts';
import {
  textPath,
  weightsPath,
  without,
  withBranch,
  withTags,
  type MixCommit,
  type MixRepository,
  type MixState,
} from './hub-state.ts';
import { uploadFile, type UploadWay } from './upload-file.ts';

/** One operation of a hub client, with the states of its repository before and after it. */
export interface Operation {
  readonly kind: string;
  readonly before: MixState;
  readonly after: MixState;
  /** Can be sent again, also after its answer was lost; then only its own uploads are left out. */
  run(caller: HubCaller): Promise<void>;
}

/** What an operation is made from. */
export interface Place {
  readonly state: MixState;
  readonly random: () => number;
  /** Of this operation; no other has it. */
  readonly number: number;
  /** Where repositories of the client are. */
  readonly namespace: string;
  /** Makes the weights of a step. */
  readonly weights: (step: number) => HubFile;
}

/** Undefined if there is nothing that it could be done to. */
export type MakeOperation = (place: Place) => Operation | undefined;

/** Branches besides main, and tags besides those of steps, that exist at once. */
const branchesMax = 3;
const tagsMax = 4;
/** Paths of one kind; later files replace earlier ones. */
const pathsEach = 3;
const main = 'main';
const ownTag = /^t-\d+$/;

/** What a commit changes. Every commit has a text, too, so that half of one would show. */
interface Change {
  readonly kind: string;
  readonly branch: string;
  readonly put?: { readonly path: string; readonly file: HubFile; readonly way: UploadWay };
  readonly copy?: { readonly path: string; readonly file: HubFile };
  readonly text?: { readonly path: string; readonly file: HubFile };
  /** A file, or a folder with a slash at its end. */
  readonly deleted?: string;
  readonly step?: number;
}

function changeOf({ number }: Place, before: MixRepository, change: Change): Operation {
  const { kind, branch, put, copy, text, deleted, step } = change;
  const head = before.branches.get(branch)!;
  const note = { path: textPath, file: textFile({ number }) };
  const isDeleted = (path: string): boolean => deleted?.endsWith('/') === true && path.startsWith(deleted);
  const files = new Map([...head.files].filter(([path]) => path !== deleted && !isDeleted(path)));
  for (const added of [put, copy, text, note]) if (added !== undefined) files.set(added.path, added.file);
  const title = step === undefined ? `Change ${number}` : `step ${step}`;
  const made: MixCommit = { title, files, parent: head, ...(step !== undefined && { step }) };
  const moved = withBranch(before, branch, made);
  const inline = [note, text].flatMap((each) => each ?? []);
  const large = (path: string, { sha256: oid, sizeBytes }: HubFile, withSize: boolean): object => ({
    key: 'lfsFile',
    value: { path, algo: 'sha256', oid, ...(withSize && { size: sizeBytes }) },
  });
  const lines = [
    { key: 'header', value: { summary: title, description: '' } },
    ...inline.map(({ path, file }) => ({
      key: 'file',
      value: { path, content: file.make().toString('base64'), encoding: 'base64' },
    })),
    ...(put === undefined ? [] : [large(put.path, put.file, true)]),
    // A copy names no size.
    ...(copy === undefined ? [] : [large(copy.path, copy.file, false)]),
    ...(deleted === undefined
      ? []
      : [{ key: deleted.endsWith('/') ? 'deletedFolder' : 'deletedFile', value: { path: deleted } }]),
  ];
  return {
    kind,
    before,
    after: step === undefined ? moved : withTags(moved, [`step-${step}`, `default/step-${step}`], made),
    async run(caller) {
      if (put !== undefined) await uploadFile(caller, before.name, put);
      const body = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
      const answer = await caller.send('POST', `/api/models/${before.name}/commit/${branch}`, body);
      answered(made, JSON.parse(answer.toString()).commitOid);
    },
  };
}

/** A request that is sent again has to be answered with the commit that it made before. */
function answered(made: MixCommit, id: string): void {
  if (made.id !== undefined && made.id !== id)
    throw new Refused(`${made.title} made the commit ${made.id}, and sent again the commit ${id}`);
  made.id = id;
}

/** A commit that brings a file, on any branch. */
function bring(kind: string, folder: string, way: UploadWay, make: (seed: number) => HubFile): MakeOperation {
  return (place) => {
    const { state, random, number } = place;
    if (state === undefined) return undefined;
    const path = `${folder}/${number % pathsEach}.bin`;
    const put = { path, file: make(number + 1000), way };
    return changeOf(place, state, { kind, branch: pick(random, [...state.branches.keys()])!, put });
  };
}

/** Weights on the main branch; they become a checkpoint. */
export const bringWeights: MakeOperation = (place) => {
  const { state, number: step, weights } = place;
  if (state === undefined) return undefined;
  const put = { path: weightsPath, file: weights(step), way: 'lfs' as const };
  return changeOf(place, state, { kind: 'weights', branch: main, put, step });
};

export const bringText: MakeOperation = (place) =>
  place.state && changeOf(place, place.state, { kind: 'text', branch: main });

interface FoundFile {
  readonly branch: string;
  readonly path: string;
  readonly file: HubFile;
}

/** Something done to any large file of any branch. */
const onFile =
  (change: (place: Place, state: MixRepository, found: FoundFile) => Operation | undefined) =>
  (place: Place): Operation | undefined => {
    const { state, random } = place;
    const files = [...(state?.branches ?? [])].flatMap(([branch, { files: all }]) =>
      [...all].flatMap(([path, file]) => (file.gitId === undefined ? [{ branch, path, file }] : [])),
    );
    const found = pick(random, files);
    return found && change(place, state!, found);
  };

const deleteFile = onFile((place, state, { branch, path }) =>
  changeOf(place, state, { kind: 'delete a file', branch, deleted: path }),
);

/** A folder is deleted, and in the same commit has a new file. */
const deleteFolder = onFile((place, state, { branch, path }) => {
  const [folder, ...rest] = path.split('/');
  if (rest.length === 0) return undefined;
  const text = { path: `${folder}/again.json`, file: textFile({ again: place.number }) };
  return changeOf(place, state, { kind: 'delete a folder', branch, deleted: `${folder}/`, text });
});

const copyFile = onFile((place, state, { branch, file }) => {
  const copy = { path: `copies/${place.number % pathsEach}.bin`, file };
  return changeOf(place, state, { kind: 'copy', branch, copy });
});

/** An operation that is one request, which answers `done` if it was done before. */
function request(
  kind: string,
  { before, after }: Pick<Operation, 'before' | 'after'>,
  [method, path, body, done]: readonly [method: string, path: string, body: object | undefined, done: number],
): Operation {
  return { kind, before, after, run: async ({ send }) => void (await send(method, path, body, [done])) };
}

const createBranch: MakeOperation = ({ state, random, number }) => {
  if (state === undefined || state.branches.size > branchesMax) return undefined;
  const [from, commit] = pick(random, [...state.branches])!;
  const name = `b-${number}`;
  const after = withBranch(state, name, commit);
  const path = `/api/models/${state.name}/branch/${name}`;
  return request('branch', { before: state, after }, ['POST', path, { startingPoint: from }, 409]);
};

const deleteBranch: MakeOperation = ({ state, random }) => {
  const name =
    state &&
    pick(
      random,
      [...state.branches.keys()].filter((each) => each !== main),
    );
  if (name === undefined) return undefined;
  const after = { ...state!, branches: without(state!.branches, name) };
  const path = `/api/models/${state!.name}/branch/${name}`;
  return request('delete a branch', { before: state, after }, ['DELETE', path, undefined, 404]);
};

const createTag: MakeOperation = ({ state, random, number }) => {
  if (state === undefined || [...state.tags.keys()].filter((name) => ownTag.test(name)).length >= tagsMax)
    return undefined;
  const [revision, commit] = pick(random, [...state.branches, ...state.tags])!;
  const after = withTags(state, [`t-${number}`], commit);
  const path = `/api/models/${state.name}/tag/${encodeURIComponent(revision)}`;
  return request('tag', { before: state, after }, ['POST', path, { tag: `t-${number}` }, 409]);
};

const deleteTag: MakeOperation = ({ state, random }) => {
  const name =
    state &&
    pick(
      random,
      [...state.tags.keys()].filter((each) => ownTag.test(each)),
    );
  if (name === undefined) return undefined;
  const after = { ...state!, tags: without(state!.tags, name) };
  return request('delete a tag', { before: state, after }, [
    'DELETE',
    `/api/models/${state!.name}/tag/${name}`,
    undefined,
    404,
  ]);
};

const squash: MakeOperation = ({ state, random, number }) => {
  const found = state && pick(random, [...state.branches]);
  if (found === undefined) return undefined;
  const [branch, head] = found;
  const made: MixCommit = { title: `Squash ${number}`, files: head.files };
  return {
    kind: 'squash',
    before: state,
    after: withBranch(state!, branch, made),
    async run({ send }) {
      const path = `/api/models/${state!.name}/super-squash/${branch}`;
      // Sent again, it squashes again.
      made.id = JSON.parse((await send('POST', path, { message: made.title })).toString()).commitOid;
    },
  };
};

function moveTo(nameOf: (place: Place) => string): MakeOperation {
  return (place) => {
    const { state } = place;
    if (state === undefined) return undefined;
    const name = nameOf(place);
    const body = { fromRepo: state.name, toRepo: name };
    return request('move', { before: state, after: { ...state, name } }, ['POST', '/api/repos/move', body, 404]);
  };
}

/** Creates a repository, which has an empty first commit. */
export function create(name: string): MakeOperation {
  return ({ state, namespace }) => {
    if (state !== undefined) return undefined;
    const first: MixCommit = { title: 'initial commit', files: new Map() };
    const after = { name: `${namespace}/${name}`, branches: new Map([[main, first]]), tags: new Map() };
    const body = { organization: namespace, name };
    return request('create', { before: state, after }, ['POST', '/api/repos/create', body, 409]);
  };
}

const remove: MakeOperation = ({ state }) => {
  if (state === undefined) return undefined;
  const [organization, name] = state.name.split('/');
  const after = { before: state, after: undefined };
  return request('remove', after, ['DELETE', '/api/repos/delete', { organization, name }, 404]);
};

/** What one client does to its exact repository, in an order that its seed says. */
export const changesOfExact: readonly MakeOperation[] = [
  bringWeights,
  bringWeights,
  bring('parts', 'parts', 'parts', noiseFile),
  bring('chunks', 'chunks', 'xet', chunkedFile),
  bring('chunks by v1', 'chunks', 'xet-v1', chunkedFile),
  deleteFile,
  deleteFolder,
  copyFile,
  createBranch,
  deleteBranch,
  createTag,
  deleteTag,
  squash,
  moveTo(({ namespace, number }) => `${namespace}/hub-${number}`),
];

/** The life of one repository, over and over under one name. */
export const lifeOfRepository: readonly MakeOperation[] = [
  create('passing'),
  bringWeights,
  moveTo(({ namespace }) => `${namespace}/passed`),
  remove,
];

/** What one client does to its lossy repository: some commits follow weights before these are published. */
export const changesOfLossy: readonly MakeOperation[] = [bringWeights, bringText, bringWeights];

/** A file that is sent in two parts takes 64 MiB. */
export const bringTwoParts = bring('two parts', 'parts', 'parts', fileOfTwoParts);
