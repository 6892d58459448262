import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { readableChain, type ChainReader } from '../../../access/readable-chain.ts';
import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../../../catalog/contract/repository-records.ts';
import type { Waiting } from '../../../ingest/checkpoint/what-it-waits-for.ts';
import type { AppEnv } from '../../app-env.ts';
import type { CheckpointVerbs, Gateway } from '../../gateway.ts';
import type { FolderFile } from '../../../ingest/checkpoint/reservation/reserve-folder.ts';
import { unchanged } from '../../answer/entity-tag.ts';
import {
  changeHeaders,
  entityTagHeader,
  notModified,
  preconditionOf,
  readHeaders,
} from '../../request/preconditions.ts';
import { createLocate, found } from '../../request/locate.ts';
import { nextOfPage, pageOf } from '../../schemas/page.ts';
import { readUpload } from '../../request/body/read-upload.ts';
import { resourcePaths, type CheckpointAddress } from '../../answer/resource-paths.ts';
import {
  checkpointDetails,
  checkpointList,
  checkpointSchema,
  renderCheckpoint,
  renderCheckpointDetails,
  reservedCheckpoint,
  type CheckpointParts,
} from '../../schemas/checkpoint/checkpoint.ts';
import { checkpointInput, pushQuery, retryInput } from '../../schemas/checkpoint/checkpoint-input.ts';
import { renderTrial, trialList } from '../../schemas/checkpoint/trial.ts';
import {
  checkpointParams,
  checkpointsQuery,
  idempotencyHeaders,
  readCheckpointParams,
  runParams,
} from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { binaryBody, uploadHeaders } from '../../schemas/upload.ts';

const tags = ['Checkpoints'];
const collection = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints';
const member = `${collection}/{step}` as const;
const json = { 'application/json': { schema: checkpointSchema } };
const reserved = { 'application/json': { schema: reservedCheckpoint } };
const request = { params: checkpointParams };
const readRequest = { params: readCheckpointParams };
const taggedRequest = { ...readRequest, headers: readHeaders };
const changeRequest = { ...request, headers: idempotencyHeaders.extend(changeHeaders.shape) };

const reserveCheckpoint = createRoute({
  method: 'post',
  path: collection,
  operationId: 'reserveCheckpoint',
  summary: 'Reserve a checkpoint with the list of its files, then upload them and commit it',
  tags,
  request: {
    params: runParams,
    headers: idempotencyHeaders,
    body: { required: true, content: { 'application/json': { schema: checkpointInput } } },
  },
  description:
    'The checkpoint has its place in the order of the run from now on, so that an open reservation holds up ' +
    'the compression of all later steps of the run ' +
    'until it is committed, cancelled or deleted, or expires without a sign of life. Small files of a folder can ' +
    'come along as `content`; with `commit` a folder of nothing else is one call. The answer lists what is still ' +
    'to be uploaded. If a file or the commit is refused, the reservation stays.',
  responses: {
    201: { description: 'Reserved, with its place in the order of the run; Location names it.', content: reserved },
    202: { description: 'Committed: durable and waiting for compression.', content: reserved },
    200: { description: 'With `commit`: the step was committed before with these very files.', content: reserved },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503, 507),
  },
});
const pushCheckpoint = createRoute({
  method: 'put',
  path: member,
  operationId: 'pushCheckpoint',
  summary: 'Upload a checkpoint of one safetensors file in one request',
  tags,
  request: { params: checkpointParams, headers: uploadHeaders, query: pushQuery, body: binaryBody },
  description:
    'The step gets its place in the order of the run once the whole body has arrived and was found sound; ' +
    'until then nothing of it is there, and a refused or ' +
    'broken upload leaves nothing. A step that failed with these very bytes answers 409 with the reason and ' +
    'the call that tries it again. Of several at once for one step the first that arrives whole wins. An ' +
    'open reservation of this one file is used, and stays ' +
    'when the upload is refused.',
  responses: {
    202: { description: 'Durable and waiting for compression; Location names its status.', content: json },
    200: { description: 'The step exists with these very bytes.', content: json },
    ...problems(400, 401, 403, 404, 408, 409, 411, 413, 415, 422, 429, 503, 507),
  },
});
const commitCheckpoint = createRoute({
  method: 'post',
  path: `${member}/commit`,
  operationId: 'commitCheckpoint',
  summary: 'Close a reserved checkpoint and hand it to compression',
  description:
    'Checks that all announced files are there and fit each other and the run. From then on the bytes are ' +
    'durable, and the checkpoint waits for its turn. Sent again it answers 200 and does nothing.',
  tags,
  request: changeRequest,
  responses: {
    202: { description: 'Durable and waiting for compression; Location names its status.', content: json },
    200: { description: 'It was committed before.', content: json },
    ...problems(400, 401, 403, 404, 409, 412, 422, 429, 503),
  },
});
const listCheckpoints = createRoute({
  method: 'get',
  path: collection,
  operationId: 'listCheckpoints',
  summary: 'List the checkpoints of a run in its order, or the newest first',
  description:
    'Whatever their state, in the order in which they were reserved or pushed. With `order=newest` a ' +
    'client finds the end of a long run on the first page.',
  tags,
  request: { params: runParams, query: checkpointsQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: checkpointList } } },
    ...problems(400, 401, 403, 404, 429),
  },
});
const getCheckpoint = createRoute({
  method: 'get',
  path: member,
  operationId: 'getCheckpoint',
  summary: 'Describe a checkpoint: state, result, files and package',
  description:
    'The state, and what came of the compression: config, bytes, metrics against their thresholds. Files ' +
    'have links to download them. `latest` is the newest step that is ready; `Content-Location` names it.',
  tags,
  request: taggedRequest,
  responses: {
    200: {
      description: 'The checkpoint.',
      headers: entityTagHeader,
      content: { 'application/json': { schema: checkpointDetails } },
    },
    304: notModified,
    ...problems(400, 401, 403, 404, 412, 429),
  },
});
const listTrials = createRoute({
  method: 'get',
  path: `${member}/trials`,
  operationId: 'listTrials',
  summary: 'List the configs tried for a checkpoint',
  description:
    'Each with its metrics and whether they were inside the thresholds. ' +
    'Empty for a checkpoint that nothing was searched for.',
  tags,
  request: readRequest,
  responses: {
    200: { description: 'Every trial, in order.', content: { 'application/json': { schema: trialList } } },
    ...problems(400, 401, 403, 404, 429),
  },
});
const cancelCheckpoint = createRoute({
  method: 'post',
  path: `${member}/cancel`,
  operationId: 'cancelCheckpoint',
  summary: 'Stop work on a checkpoint',
  description:
    'Of an open reservation, a checkpoint that waits, or one being compressed. Uploaded bytes stay until it ' +
    'is deleted. One that is ready is refused.',
  tags,
  request: changeRequest,
  responses: {
    200: { description: 'Cancelled.', content: json },
    202: { description: 'Being stopped; its state becomes `cancelled`.', content: json },
    ...problems(400, 401, 403, 404, 409, 412, 429),
  },
});
const retryCheckpoint = createRoute({
  method: 'post',
  path: `${member}/retry`,
  operationId: 'retryCheckpoint',
  summary: 'Try a failed checkpoint again',
  tags,
  request: { ...changeRequest, body: { required: false, content: { 'application/json': { schema: retryInput } } } },
  description:
    'With the bytes that were uploaded, at its place in the order of the run; nothing is sent again, and ' +
    'later checkpoints stay as they are. It is measured with the eval set and the thresholds that ' +
    'the run has now (`PATCH` of the run gives it others), or with those of the body. What was tried before ' +
    'is forgotten. Refused while it is queued or being compressed, and once it is ready.',
  responses: {
    202: { description: 'Waiting for compression; Location names its status.', content: json },
    ...problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 503),
  },
});
const deleteCheckpoint = createRoute({
  method: 'delete',
  path: member,
  operationId: 'deleteCheckpoint',
  summary: 'Delete a checkpoint',
  tags,
  request: { ...request, headers: changeHeaders },
  description: 'The step can be uploaded again. Bytes that other checkpoints build on are kept, out of sight.',
  responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 412, 429) },
});

async function shownCheckpoint(
  catalog: Catalog,
  checkpoint: Checkpoint,
  {
    address,
    reader,
    waitsFor,
    expire,
  }: {
    readonly address: CheckpointAddress;
    readonly reader: ChainReader;
    readonly waitsFor: Waiting | undefined;
  } & Pick<CheckpointVerbs, 'expire'>,
) {
  const [files, stored, damagedFiles, evalSet, expiries] = await Promise.all([
    catalog.files.list(checkpoint.id),
    checkpoint.packageId === undefined ? undefined : readablePackage(catalog, reader, checkpoint.packageId),
    catalog.damage.pathsOf(checkpoint.id),
    checkpoint.evalSetId === undefined ? undefined : catalog.evalSets.get(checkpoint.evalSetId),
    expire(catalog, [checkpoint]),
  ]);
  const unfinished = { waitsFor, expiresAt: expiries.get(checkpoint.id) };
  return renderCheckpointDetails({ checkpoint, files, stored, damagedFiles, evalSet, ...unfinished }, address);
}

/** A package and its ancestor's repository; undefined for a reader who may not read its whole chain. */
async function readablePackage(
  catalog: Catalog,
  reader: ChainReader,
  packageId: string,
): Promise<CheckpointParts['stored']> {
  const [record, places] = await Promise.all([
    catalog.packages.get(packageId),
    readableChain(catalog, reader, packageId),
  ]);
  if (record === undefined || places === undefined) return undefined;
  return { record, ancestorPlace: places.get(record.ancestorId ?? '') };
}

/** Routes of checkpoints, except their files. */
export function registerCheckpoints(app: OpenAPIHono<AppEnv>, gateway: Gateway): void {
  const { catalog, uploads, checkpoints, bodyPace } = gateway;
  const locate = createLocate(catalog);
  /** The precondition of a change of what `getCheckpoint` answers. */
  const asRead = async (
    c: Context<AppEnv>,
    address: CheckpointAddress,
    { checkpoint, repository }: { readonly checkpoint: Checkpoint; readonly repository: Repository },
  ) => {
    // Asked before the transaction, which cannot wait for other runs. If it changes meanwhile, the tag is another.
    const waitsFor = c.req.header('if-match') === undefined ? undefined : await checkpoints.waitsFor(checkpoint);
    return preconditionOf(c, async (tx) =>
      shownCheckpoint(tx, found(await tx.checkpoints.get(checkpoint.id), 'checkpoint'), {
        address,
        reader: { principal: c.var.principal, repository },
        waitsFor,
        expire: checkpoints.expire,
      }),
    );
  };
  app.openapi(reserveCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const run = await locate(c, 'write').run(names);
    const { step, files = [], commit = false, config, layerTypes, expects, final } = c.req.valid('json');
    const folder = {
      step,
      commit,
      // JSON has no undefined: a missing key is absent.
      files: files as FolderFile[],
      ...(config !== undefined && { fixedConfig: config }),
      ...(layerTypes !== undefined && { layerTypes }),
      ...(expects !== undefined && { expects }),
      ...(final !== undefined && { final: final === true ? {} : final }),
    };
    const { checkpoint, files: known, committed } = await uploads.reserveFolder(run, folder, c.req.raw.signal);
    const address = { ...names, step };
    const missing = known
      .filter(({ received }) => !received)
      .map(({ path }) => ({ path, href: resourcePaths.file(address, path) }));
    return c.json(
      { ...renderCheckpoint(checkpoint, address), missing },
      committed ? 202 : checkpoint.state === 'open' ? 201 : 200,
      { Location: resourcePaths.checkpoint(address) },
    );
  });
  app.openapi(pushCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const run = await locate(c, 'write').run(names);
    const { layerTypes, expects, final } = c.req.valid('query');
    const settings = {
      ...(layerTypes !== undefined && { layerTypes }),
      ...(expects !== undefined && { expects }),
      ...(final !== undefined && { final: final === true ? {} : final }),
    };
    const push = { step: names.step, upload: readUpload(c, bodyPace), ...settings };
    const { checkpoint, created } = await uploads.pushCheckpoint(run, push);
    return c.json(renderCheckpoint(checkpoint, names), created ? 202 : 200, {
      Location: resourcePaths.checkpoint(names),
    });
  });
  app.openapi(commitCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const { run, ...located } = await locate(c, 'write').checkpoint(names);
    const options = { precondition: await asRead(c, names, located), signal: c.req.raw.signal };
    const committed = await uploads.commitCheckpoint(run, located.checkpoint, options);
    return c.json(renderCheckpoint(committed.checkpoint, names), committed.created ? 202 : 200, {
      Location: resourcePaths.checkpoint(names),
    });
  });
  app.openapi(listCheckpoints, async (c) => {
    const names = c.req.valid('param');
    const run = await locate(c, 'read').run(names);
    const query = c.req.valid('query');
    const page = pageOf(query);
    const listed = await catalog.checkpoints.list(run.id, page, query.order);
    const [waiting, expiries] = await Promise.all([
      checkpoints.allWaitFor(listed),
      checkpoints.expire(catalog, listed),
    ]);
    const items = listed.map((checkpoint) => {
      const unfinished = { waitsFor: waiting.get(checkpoint.id), expiresAt: expiries.get(checkpoint.id) };
      return renderCheckpoint(checkpoint, { ...names, step: checkpoint.step }, unfinished);
    });
    return c.json({ items, ...nextOfPage(page, listed, (last) => String(last.sequence)) }, 200);
  });
  app.openapi(getCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const { checkpoint, repository } = await locate(c, 'read').checkpoint(names);
    const address = { ...names, step: checkpoint.step };
    const shown = await shownCheckpoint(catalog, checkpoint, {
      address,
      reader: { principal: c.var.principal, repository },
      waitsFor: await checkpoints.waitsFor(checkpoint),
      expire: checkpoints.expire,
    });
    c.header('Content-Location', resourcePaths.checkpoint(address));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(listTrials, async (c) => {
    const { checkpoint } = await locate(c, 'read').checkpoint(c.req.valid('param'));
    return c.json({ items: (await catalog.trials.list(checkpoint.id)).map(renderTrial) }, 200);
  });
  app.openapi(cancelCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const located = await locate(c, 'write').checkpoint(names);
    const cancelled = await checkpoints.cancel(located.checkpoint, await asRead(c, names, located));
    return c.json(renderCheckpoint(cancelled, names), cancelled.state === 'cancelled' ? 200 : 202);
  });
  app.openapi(retryCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const { run, ...located } = await locate(c, 'write').checkpoint(names);
    const options = { precondition: await asRead(c, names, located), signal: c.req.raw.signal };
    const queued = await checkpoints.retry(run, located.checkpoint, c.req.valid('json'), options);
    return c.json(renderCheckpoint(queued, names), 202, { Location: resourcePaths.checkpoint(names) });
  });
  app.openapi(deleteCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const located = await locate(c, 'write').checkpoint(names);
    await checkpoints.delete(located.checkpoint, await asRead(c, names, located));
    return c.body(null, 204);
  });
}
