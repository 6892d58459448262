import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { readableChain, type ChainReader } from '../../../access/readable-chain.ts';
import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../../../catalog/contract/repository-records.ts';
import type { PackageRecord } from '../../../catalog/contract/storage/package-records.ts';
import type { AppEnv } from '../../app-env.ts';
import { attachmentNamed } from '../../answer/attachment-named.ts';
import { checkReady } from '../../answer/choose-representation.ts';
import type { Gateway } from '../../gateway.ts';
import { headOperation } from '../../answer/head-operation.ts';
import { createLocate, found } from '../../request/locate.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import { binaryContent, packageHeaders, rangeHeaders } from '../../schemas/download.ts';
import { packageParams, readCheckpointParams } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { sendFile } from '../../answer/send-file.ts';

const tags = ['Packages'];
const responses = {
  200: { description: 'The package, as docs/format.md describes it.', headers: packageHeaders, content: binaryContent },
  206: { description: 'One range of it.', headers: packageHeaders, content: binaryContent },
  304: { description: 'The package has the ETag of If-None-Match.' },
  ...problems(400, 401, 403, 404, 409, 412, 416, 429, 500),
} as const;

const getCheckpointPackage = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/package',
  operationId: 'getCheckpointPackage',
  summary: 'Download the compressed form of a checkpoint',
  description:
    'For clients that decode by themselves. A delta needs the package of its ancestor, which ' +
    '`Firn-Ancestor-Package` names and `Link` leads to: it may be in the repository of a base model. Who may not ' +
    'read that repository finds no package here, and downloads the files. The bytes of a package may change when ' +
    'old deltas are merged; its ETag then does too.',
  tags,
  request: { params: readCheckpointParams, headers: rangeHeaders },
  responses,
});
const getPackage = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/packages/{packageId}',
  operationId: 'getPackage',
  summary: 'Download a package by its id, such as the ancestor of another',
  description: 'As the package of a checkpoint, by the id that another one names as its ancestor.',
  tags,
  request: { params: packageParams, headers: rangeHeaders },
  responses,
});

/** Routes of packages, for clients that decode packages themselves. */
export function registerPackages(app: OpenAPIHono<AppEnv>, { catalog, downloads, log }: Gateway): void {
  const locate = createLocate(catalog);
  /** `not-found` for a reader who may not read the whole chain. */
  const sendable = async (checkpoint: Checkpoint, record: PackageRecord, reader: ChainReader) => {
    const places = found(await readableChain(catalog, reader, record.id), 'package');
    return {
      etag: `"${record.mergedPackageId ?? record.id}"`,
      sizeBytes: record.sizeBytes,
      open: () => downloads.openObject(checkpoint, record.key),
      headers: headersOf(record, await neededBesides(catalog, record), places),
    };
  };
  app.openapi(getCheckpointPackage, async (c) => {
    const names = c.req.valid('param');
    const { checkpoint, repository } = await locate(c, 'read').checkpoint(names);
    checkReady(checkpoint);
    const record = checkpoint.packageId === undefined ? undefined : await catalog.packages.get(checkpoint.packageId);
    const reader = { principal: c.var.principal, repository };
    return sendFile(c, await sendable(checkpoint, found(record, 'package'), reader), log);
  });
  app.openapi(getPackage, async (c) => {
    const { packageId, ...names } = c.req.valid('param');
    const repository = await locate(c, 'read').repository(names);
    const record = found(await catalog.packages.get(packageId), 'package');
    // A package is visible only in its own repository.
    const checkpoint = await catalog.checkpoints.get(record.checkpointId);
    const run = checkpoint && (await catalog.runs.get(checkpoint.runId));
    const owner = found(run?.repositoryId === repository.id ? checkpoint : undefined, 'package');
    return sendFile(c, await sendable(owner, record, { principal: c.var.principal, repository }), log);
  });
  app.openAPIRegistry.registerPath(
    headOperation(getCheckpointPackage, {
      operationId: 'headCheckpointPackage',
      summary: 'Size and id of a package',
      description: 'The header fields of the download: size, id, ancestor.',
    }),
  );
  app.openAPIRegistry.registerPath(
    headOperation(getPackage, {
      operationId: 'headPackage',
      summary: 'Size of a package',
      description: 'The header fields of the download: size, id, ancestor.',
    }),
  );
}

/** The next package that a client has to fetch: ancestors in the same merged package come with it. */
async function neededBesides(
  catalog: Catalog,
  { id, key, ancestorId, mergedPackageId }: PackageRecord,
): Promise<string | undefined> {
  if (mergedPackageId === undefined) return ancestorId;
  return (await catalog.packages.chain(id)).find((link) => link.key !== key)?.id;
}

function headersOf(
  { id, mergedPackageId }: PackageRecord,
  ancestorId: string | undefined,
  places: ReadonlyMap<string, Repository>,
): Record<string, string> {
  const ancestor =
    ancestorId === undefined
      ? {}
      : {
          'Firn-Ancestor-Package': ancestorId,
          Link: `<${resourcePaths.package(places.get(ancestorId)!, ancestorId)}>; rel="predecessor-version"`,
        };
  return {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachmentNamed(`${mergedPackageId ?? id}.firn`),
    'Firn-Package-Id': id,
    ...(mergedPackageId !== undefined && {
      'Firn-Merged-Package': mergedPackageId,
      'Firn-Super-Step': mergedPackageId,
    }),
    ...ancestor,
  };
}
