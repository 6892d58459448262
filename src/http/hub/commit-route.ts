import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { scopeOn } from '../../access/principal.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { pathClash, pathClashError } from '../../checkpoint/path-clash.ts';
import { baseModelOf } from '../../hub/checkpoints/base-model.ts';
import { cardPath } from '../../hub/checkpoints/read-card.ts';
import { addedFiles, type PathChange } from '../../hub/tree/folder.ts';
import { planCheckpoints } from '../../hub/checkpoints/plan-checkpoints.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { incomingBody } from '../request/body/incoming-body.ts';
import { locateRepository, originOf, parseAs, parseJson } from './hub-request.ts';
import { checkLineShape } from './check-line-shape.ts';
import { readLines } from './ndjson.ts';
import type { HubRepositoryName } from './parse-hub-path.ts';
import { readOperation } from './read-operation.ts';
import { webPath } from './repository-routes.ts';
import { regularBytesMax } from './upload-routes.ts';

/** Room in a line beside the content of a file, in bytes: its path and a header's message, each character escaped. */
const lineRoomBytes = 512 * 1024;
/** Longest line, in bytes: the largest inline file, as base64. */
const lineBytesMax = Math.ceil(regularBytesMax / 3) * 4 + lineRoomBytes;
/** Largest commit, in bytes: clients budget 100 MB of inline files, a third more as base64. */
const bodyBytesMax = 384 * 1024 * 1024;
const operationsMax = 50_000;
/** Lines of a commit: its operations and the header, and an empty line after each. */
const linesMax = 2 * (operationsMax + 1);
/** Lengths of texts, in characters. */
const titleMax = 1_000;
const messageMax = 64 * 1024;

/** What a client may show of a commit that changed nothing. */
const nothingWritten = 'Nothing was written: the branch has all of this, or the same request made this commit before.';

const headerShape = z.object({
  summary: z.string().max(titleMax),
  description: z.string().max(messageMax).nullish(),
  parentCommit: z.string().nullish(),
});
const lineShape = z.object({ key: z.string(), value: z.unknown() });

interface ReadCommit {
  readonly header: z.infer<typeof headerShape>;
  readonly changes: readonly PathChange[];
  readonly steps: ReadonlyMap<string, number>;
  /** The model card in the commit, if it brings one inline. */
  readonly card?: string;
  readonly requestSha256: string;
}

/**
 * A commit as NDJSON: a header, then files inline, references to uploaded large files, and deletions. Inline files are
 * stored as they pass. A repeated request is answered with the commit that the first one made.
 */
export async function createCommit(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'write');
  if (c.req.query('create_pr') !== undefined && c.req.query('create_pr') !== '0')
    throw new FirnError('invalid-request', 'There are no pull requests here; commit to a branch of your own.');
  const branch = rest.join('/').replace(/^refs\/heads\//, '');
  const { header, changes, steps, card, requestSha256 } = await readCommit(c, gateway, repository);
  const base = await baseOf(c, gateway, card ?? (await keptCard(gateway, repository, branch, changes)));
  const { commit, created, checkpoints } = await gateway.hub.commitChanges(repository, {
    branch,
    base,
    changes,
    steps,
    requestSha256,
    title: header.summary === '' ? 'Upload' : header.summary,
    message: header.description ?? '',
    author: c.var.principal.name,
    ...(header.parentCommit != null && { parentCommit: header.parentCommit }),
  });
  c.set('written', { commit: commit.id, checkpoints: checkpoints.length });
  const url = `${originOf(c, gateway.admittance.trustProxy)}${webPath(name)}/commit/${commit.id}`;
  return c.json({ success: true, commitOid: commit.id, commitUrl: url, hookOutput: created ? '' : nothingWritten });
}

/** The card that the branch has before a commit of weights that neither brings nor deletes one. */
async function keptCard(
  { hub }: HubGateway,
  repository: Repository,
  branch: string,
  changes: readonly PathChange[],
): Promise<string | undefined> {
  if (changes.some(({ path }) => path === cardPath)) return undefined;
  const hasWeights = planCheckpoints(addedFiles(changes)).length > 0;
  return repository.type === 'model' && hasWeights ? hub.readCard(repository, branch) : undefined;
}

/** The base model that a card names, if there is one here that the principal may read. */
async function baseOf(
  c: Context<AppEnv>,
  { catalog }: HubGateway,
  card: string | undefined,
): Promise<Repository | undefined> {
  const names = card === undefined ? undefined : baseModelOf(card);
  const base = names && (await catalog.repositories.find(names.namespace, names.name));
  return base !== undefined && scopeOn(c.var.principal, base) !== undefined ? base : undefined;
}

async function readCommit(c: Context<AppEnv>, gateway: HubGateway, repository: Repository): Promise<ReadCommit> {
  let header: z.infer<typeof headerShape> | undefined;
  const changes: PathChange[] = [];
  const steps = new Map<string, number>();
  let card: string | undefined;
  const digest = createHash('sha256').update(c.req.path);
  if (Number(c.req.header('content-length') ?? 0) > bodyBytesMax)
    throw new FirnError('payload-too-large', `A commit may have at most ${bodyBytesMax} bytes.`);
  const body = incomingBody(c, gateway.bodyPace);
  const inline = await gateway.hub.openBlobBatch(repository);
  for await (const line of readLines(body, { lineBytesMax, bodyBytesMax, linesMax })) {
    digest.update(line);
    checkLineShape(line);
    const { key, value } = parseAs(lineShape, parseJson(line.toString('utf8')));
    if ((key === 'header') !== (header === undefined))
      throw new FirnError('invalid-request', 'A commit has one header line, before all others.');
    if (header === undefined) {
      header = parseAs(headerShape, value);
      continue;
    }
    if (changes.length >= operationsMax)
      throw new FirnError('payload-too-large', `A commit may have at most ${operationsMax} operations.`);
    const notes = { inline, steps, onCard: (text: string) => void (card = text) };
    changes.push(await readOperation(gateway, repository, key, value, notes));
  }
  await inline.flush();
  if (header === undefined) throw new FirnError('invalid-request', 'A commit has one header line, before all others.');
  const put = changes.flatMap(({ op, path }) => (op === 'put' ? [path] : []));
  const clash = pathClash([...new Set(put)]);
  if (clash !== undefined) throw pathClashError(clash);
  return {
    header,
    changes: deletionsFirst(changes),
    steps,
    ...(card !== undefined && { card }),
    requestSha256: digest.digest('hex'),
  };
}

/** A client may delete a folder and put files into it in one commit, in any order of lines. */
function deletionsFirst(changes: readonly PathChange[]): PathChange[] {
  return [...changes.filter(({ op }) => op !== 'put'), ...changes.filter(({ op }) => op === 'put')];
}
