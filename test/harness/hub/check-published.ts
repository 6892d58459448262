import { ask, sha256 } from '../ask.ts';
import { readJson, resolve, treeOf, type CheckOptions, type HubReader } from './check-hub.ts';
import type { HubActor } from './hub-actor.ts';
import { weightsPath } from './hub-state.ts';

/** Commits of the server that publish the compressed form of a step, by id. */
export type Publications = Map<string, number>;

const title = /^Step (\d+) compressed/;
const stepTag = /^step-\d+$/;

/** The commits among those that the tags of steps lead to that publish a compressed form. */
export async function publicationsOf(
  base: string,
  tags: ReadonlyMap<string, string>,
  { published }: HubActor,
): Promise<Publications> {
  const found: Publications = new Map([...published].map(([step, { id }]) => [id, step]));
  for (const [name, id] of tags) {
    if (!stepTag.test(name) || !tags.has(`${name}-uploaded`) || found.has(id)) continue;
    const [commit] = (await readJson(`${base}/commits/${id}?limit=1`)) as [
      { title: string; authors: [{ user: string }] },
    ];
    const [, step] = title.exec(commit.title) ?? [];
    if (commit.authors[0].user === 'firn' && `step-${step}` === name) found.set(id, Number(step));
  }
  return found;
}

/**
 * Checks every compressed form that is published: its weights have digests of their own, which never change and are
 * those of the checkpoint; all other files are those of a commit of the client.
 */
export async function checkPublished(reader: HubReader, actor: HubActor, { isEnd }: CheckOptions): Promise<void> {
  const base = `${reader.url}/api/models/${reader.name}`;
  const refs = (await readJson(`${base}/refs`)) as { tags: { name: string; targetCommit: string }[] };
  const tags = new Map(refs.tags.map(({ name, targetCommit }) => [name, targetCommit]));
  for (const [id, step] of await publicationsOf(base, tags, actor)) {
    const what = `${reader.name}: the compressed form ${id} of step ${step}`;
    const known = actor.published.get(step);
    if (known !== undefined && known.id !== id) reader.problem(`${what} was ${known.id} before`);
    if (known !== undefined && !isEnd) continue;
    const pushed = [...actor.commits].find((commit) => commit.step === step)!;
    const tree = await treeOf(reader, id);
    const digest = tree?.get(weightsPath);
    const answer = await resolve(reader, id, weightsPath);
    const found = sha256(answer.bytes);
    if (answer.status !== 200 || found !== digest)
      reader.problem(`${what} comes down with ${answer.status} and ${found}, and not ${digest}`);
    if (digest === pushed.files.get(weightsPath)!.sha256) reader.problem(`${what} has the bytes that were pushed`);
    const isOfClient = [...actor.commits].some(({ files }) =>
      [...files].every(([path, file]) => path === weightsPath || tree?.get(path) === (file.gitId ?? file.sha256)),
    );
    if (!isOfClient || tree?.size !== pushed.files.size) reader.problem(`${what} has other files than any push`);
    if (known !== undefined && known.sha256 !== digest) reader.problem(`${what} had the digest ${known.sha256} before`);
    const rebuilt = await rebuiltDigest(reader, step);
    if (rebuilt !== digest) reader.problem(`${what} has ${digest}, and the checkpoint ${rebuilt}`);
    actor.published.set(step, { id, sha256: digest! });
  }
  // No push follows: the branch shows the compressed form of the newest weights.
  const newest = actor.published.get(Math.max(...actor.published.keys()));
  const shown = isEnd && newest ? (await treeOf(reader, 'main'))?.get(weightsPath) : newest?.sha256;
  if (shown !== newest?.sha256) reader.problem(`${reader.name}: main shows ${shown}, and not ${newest?.sha256}`);
}

/** The digest of the weights of a ready checkpoint, as the native API says it. */
async function rebuiltDigest({ url, name }: HubReader, step: number): Promise<string | undefined> {
  const { bytes } = await ask('GET', `${url}/v1/repositories/${name}/runs/default/checkpoints/${step}`);
  const { files = [] } = JSON.parse(bytes.toString()) as { files?: { path: string; rebuilt?: { sha256: string } }[] };
  return files.find(({ path }) => path === weightsPath)?.rebuilt?.sha256;
}
