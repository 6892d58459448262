import { setTimeout as pause } from 'node:timers/promises';
import { ask, sha256, type Answer } from '../ask.ts';
import { checkPublished, publicationsOf } from './check-published.ts';
import type { HubActor } from './hub-actor.ts';
import type { HubFile } from './hub-file.ts';
import { lineOf, weightsPath, type MixCommit, type MixState } from './hub-state.ts';

/** Longest wait until checkpoints are ready and published, in ms, and the pause between two looks. */
const settleMsMax = 240_000;
const lookMs = 100;
/** States that a checkpoint does not leave by itself. */
const neverReady = ['failed', 'cancelled'];
/** Newest former names of a repository that each check asks for. */
const formerNamesAsked = 3;
/** Who publishes compressed forms. */
const server = 'firn';

export interface CheckOptions {
  /** Nobody pushes any more: wait until every checkpoint is ready and published, and read everything. */
  readonly isEnd: boolean;
  /** Whether pushed weights of a lossy repository may have been collected once later ones are ready. */
  readonly mayCollect: boolean;
}

/** A repository of an actor, as a check reads it. */
export interface HubReader {
  readonly url: string;
  readonly name: string;
  readonly problem: (sentence: string) => void;
}

/** A commit as the history of a branch shows it. */
export interface ShownCommit {
  readonly id: string;
  readonly title: string;
  readonly author: string;
}

/**
 * What was lost or is wrong in the repository of an actor, one sentence each. Its branches and tags are those after the
 * last operation that was acknowledged, or all of them are those after the one that was interrupted. Every commit is
 * whole: it has its files and no others, with their bytes.
 */
export async function checkHub(url: string, actor: HubActor, options: CheckOptions): Promise<string[]> {
  const problems: string[] = [];
  const differences: string[] = [];
  for (const state of actor.possibleStates) {
    const found = await differencesOf(url, actor, state, options);
    if (typeof found === 'string') {
      differences.push(found);
      continue;
    }
    for (const [commit, id] of found) commit.id = id;
    const isRemoving = actor.current?.kind === 'remove';
    actor.found(state);
    // An interrupted deletion cancels checkpoints first, and takes files.
    if (state === undefined || isRemoving) return problems;
    const reader: HubReader = { url, name: state.name, problem: (sentence) => void problems.push(sentence) };
    if (options.isEnd) await settle(reader, actor);
    if (actor.isLossy) await checkPublished(reader, actor, options);
    await checkCommits(reader, actor, options);
    return problems;
  }
  return [`after ${actor.current?.kind ?? 'everything was answered'}: ${differences.join('; or ')}`];
}

/**
 * The ids of commits that were not known yet, if a repository shows a state; or else the first difference, as a
 * sentence.
 */
async function differencesOf(
  url: string,
  actor: HubActor,
  state: MixState,
  { isEnd }: CheckOptions,
): Promise<Map<MixCommit, string> | string> {
  const former = [...actor.formerNames].slice(isEnd ? 0 : -formerNamesAsked);
  const names = new Set([...former, ...actor.possibleStates.flatMap((each) => each?.name ?? [])]);
  for (const name of names) {
    const { status } = await ask('GET', `${url}/api/models/${name}`);
    if (status !== (name === state?.name ? 200 : 404)) return `${name} answers ${status}`;
  }
  if (state === undefined) return new Map();
  const base = `${url}/api/models/${state.name}`;
  const refs = (await readJson(`${base}/refs`)) as Record<
    'branches' | 'tags',
    { name: string; targetCommit: string }[]
  >;
  const [branches, tags] = [refs.branches, refs.tags].map(
    (each) => new Map(each.map(({ name, targetCommit }) => [name, targetCommit])),
  ) as [Map<string, string>, Map<string, string>];
  const ids = new Map<MixCommit, string>();
  if (namesOf(branches) !== namesOf(state.branches)) return `the branches are ${namesOf(branches)}`;
  for (const [branch, head] of state.branches) {
    const shown = await historyOf(base, branches.get(branch)!);
    const own = shown.filter(({ author }) => !actor.isLossy || author !== server);
    const line = lineOf(head);
    for (const [at, commit] of line.entries()) {
      const { id, title } = own[at] ?? {};
      if (title !== commit.title || (commit.id ?? ids.get(commit) ?? id) !== id)
        return `commit ${at} of ${branch} is ${id} ${title}, and not ${commit.id} ${commit.title}`;
      ids.set(commit, id!);
    }
    if (own.length !== line.length) return `${branch} has ${own.length} commits, and not ${line.length}`;
  }
  const expected = new Map([...state.tags].map(([name, commit]) => [name, commit.id ?? ids.get(commit)]));
  if (actor.isLossy) {
    const publications = await publicationsOf(base, tags, actor);
    for (const [name, id] of tags)
      if (publications.has(id)) {
        // The tag leads to the compressed form; the one beside it leads to what was pushed.
        if (tags.get(`${name}-uploaded`) !== expected.get(name)) return `${name}-uploaded does not lead to the push`;
        expected.set(`${name}-uploaded`, expected.get(name));
        expected.set(name, id);
      }
  }
  if (namesOf(tags) !== namesOf(expected)) return `the tags are ${namesOf(tags)}, and not ${namesOf(expected)}`;
  for (const [name, id] of expected)
    if (tags.get(name) !== id) return `the tag ${name} leads to ${tags.get(name)}, and not to ${id}`;
  return ids;
}

const namesOf = (refs: ReadonlyMap<string, unknown>): string => [...refs.keys()].sort().join(', ');

/** A commit and those before it, newest first. */
async function historyOf(base: string, id: string): Promise<ShownCommit[]> {
  const history: ShownCommit[] = [];
  for (let page = 0; ; page++) {
    const found = (await readJson(`${base}/commits/${id}?p=${page}`)) as {
      id: string;
      title: string;
      authors: { user: string }[];
    }[];
    if (found.length === 0) return history;
    history.push(...found.map(({ authors, ...commit }) => ({ ...commit, author: authors[0]!.user })));
  }
}

export async function readJson(url: string): Promise<unknown> {
  const { status, bytes } = await ask('GET', url);
  if (status !== 200) throw new Error(`${url} answered ${status} ${bytes.toString()}`);
  return JSON.parse(bytes.toString());
}

/** Digests by path of the files of a commit, as its tree says; undefined if there is no such commit. */
export async function treeOf({ url, name }: HubReader, id: string): Promise<Map<string, string> | undefined> {
  const { status, bytes } = await ask('GET', `${url}/api/models/${name}/tree/${id}?recursive=true`);
  if (status !== 200) return undefined;
  const entries = JSON.parse(bytes.toString()) as { type: string; path: string; oid: string; lfs?: { oid: string } }[];
  return new Map(entries.flatMap(({ type, path, oid, lfs }) => (type === 'file' ? [[path, lfs?.oid ?? oid]] : [])));
}

export function resolve({ url, name }: HubReader, id: string, path: string): Promise<Answer> {
  return ask('GET', `${url}/${name}/resolve/${id}/${path}`);
}

/** Commits that no check has read yet; at the end every commit, and each file once more. */
async function checkCommits(reader: HubReader, actor: HubActor, options: CheckOptions): Promise<void> {
  const { problem } = reader;
  const read = new Set<string>();
  for (const commit of actor.commits) {
    if (commit.id === undefined || (actor.wasRead.has(commit) && !options.isEnd)) continue;
    actor.wasRead.add(commit);
    const tree = await treeOf(reader, commit.id);
    const what = `${reader.name} ${commit.title} (${commit.id})`;
    if (tree === undefined) {
      problem(`${what} is lost`);
      continue;
    }
    for (const [path, file] of commit.files)
      if (!isRight(actor, commit, path, tree.get(path))) problem(`${what} has ${path} as ${tree.get(path)}`);
      else if (tree.get(path) === (file.gitId ?? file.sha256)) {
        const isOld = commit.parent?.files.get(path) === file;
        if (read.has(`${path} ${file.sha256}`) || (isOld && !options.isEnd)) continue;
        read.add(`${path} ${file.sha256}`);
        await checkBytes(reader, { commit, path, file }, options.mayCollect && isGivenUp(actor, commit, path));
      }
    for (const path of tree.keys()) if (!commit.files.has(path)) problem(`${what} has ${path}, which nobody pushed`);
  }
  for (const { id, title } of actor.dropped)
    if (id !== undefined && options.isEnd && (await treeOf(reader, id)) !== undefined)
      problem(`${reader.name} ${title} (${id}) is there, although a squash dropped it`);
}

/** A commit on top of a published one has its compressed weights. */
function isRight({ published }: HubActor, commit: MixCommit, path: string, digest: string | undefined): boolean {
  const { gitId, sha256: pushed } = commit.files.get(path)!;
  if (digest === (gitId ?? pushed)) return true;
  const step = lineOf(commit).find((each) => each.step !== undefined)?.step;
  return path === weightsPath && commit.step === undefined && published.get(step!)?.sha256 === digest;
}

/** Whether pushed weights may be gone: later ones were pushed, and the repository keeps the compressed form. */
function isGivenUp({ isLossy, commits }: HubActor, commit: MixCommit, path: string): boolean {
  const step = lineOf(commit).find((each) => each.step !== undefined)?.step ?? 0;
  return isLossy && path === weightsPath && [...commits].some((other) => (other.step ?? 0) > step);
}

async function checkBytes(
  reader: HubReader,
  { commit, path, file }: { readonly commit: MixCommit; readonly path: string; readonly file: HubFile },
  mayBeGone: boolean,
): Promise<void> {
  const answer = await resolve(reader, commit.id!, path);
  if (mayBeGone && answer.status === 404 && answer.headers.get('x-error-code') === 'EntryNotFound') return;
  const found = sha256(answer.bytes);
  if (answer.status !== 200 || found !== file.sha256)
    reader.problem(
      `${reader.name} ${commit.title} (${commit.id}) ${path} comes down with ${answer.status} and ${found}, ` +
        `and not ${file.sha256}`,
    );
}

/** Waits until every checkpoint of the repository is ready, and until the compressed forms are published. */
async function settle(reader: HubReader, actor: HubActor): Promise<void> {
  const base = `${reader.url}/v1/repositories/${reader.name}/runs/default/checkpoints?limit=1000`;
  for (const deadline = Date.now() + settleMsMax; ; await pause(lookMs)) {
    const { status, bytes } = await ask('GET', base);
    if (status === 404) return;
    const { items } = JSON.parse(bytes.toString()) as { items: { step: number; state: string }[] };
    const refs = (await readJson(`${reader.url}/api/models/${reader.name}/refs`)) as { tags: { name: string }[] };
    const isPublished = (step: number): boolean => refs.tags.some(({ name }) => name === `step-${step}-uploaded`);
    const late = items.filter(({ state, step }) => state !== 'ready' || (actor.isLossy && !isPublished(step)));
    if (late.length === 0) return;
    if (late.some(({ state }) => neverReady.includes(state)) || Date.now() > deadline) {
      const states = late.map(({ step, state }) => `${step} (${state})`).join(', ');
      reader.problem(`${reader.name}: of ${items.length} checkpoints these are not ready and published: ${states}`);
      return;
    }
  }
}
