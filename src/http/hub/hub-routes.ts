import type { Context, MiddlewareHandler } from 'hono';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { cardMetadata } from '../../hub/checkpoints/card-metadata.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { MissingRepository } from './hub-error.ts';
import { createCommit } from './commit-route.ts';
import { locateRepository, readJson } from './hub-request.ts';
import { hubPathOf } from './hub-path-of.ts';
import type { HubPath, HubRepositoryName } from './parse-hub-path.ts';
import {
  changeSettings,
  createRepository,
  deleteRepository,
  listRepositories,
  moveRepository,
  repositoryInfo,
  whoAmI,
} from './repository-routes.ts';
import { rawFile, resolveFile } from './resolve-route.ts';
import { changeBranch, changeTag, listCommits, listTree, pathsInfo, showRefs, squash } from './revision-routes.ts';
import { answerXet, xetWriteToken } from './xet-routes.ts';
import { lfsBatch, preupload, putLfsObject } from './upload-routes.ts';
import { z } from 'zod';

type Handler = (c: Context<AppEnv>, gateway: HubGateway) => Promise<Response>;
type OfRepository = (
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
) => Promise<Response>;

const apiRoutes: Readonly<Record<string, Handler>> = {
  'GET whoami-v2': whoAmI,
  'POST validate-yaml': async (c, gateway) => {
    const { content = '' } = await readJson(c, gateway, z.object({ content: z.string().nullish() }));
    const errors = cardMetadata(content ?? '').errors.map((message) => ({ message }));
    return c.json({ errors, warnings: [] }, errors.length > 0 ? 400 : 200);
  },
  'POST repos/create': createRepository,
  'DELETE repos/delete': deleteRepository,
  'POST repos/move': moveRepository,
};

const repositoryRoutes: Readonly<Record<string, OfRepository>> = {
  'GET ': (c, gateway, name) => repositoryInfo(c, gateway, name, []),
  'GET revision': repositoryInfo,
  'GET tree': listTree,
  'POST paths-info': pathsInfo,
  'GET commits': listCommits,
  'GET refs': showRefs,
  'POST branch': changeBranch,
  'DELETE branch': changeBranch,
  'POST tag': changeTag,
  'DELETE tag': changeTag,
  'POST super-squash': squash,
  'PUT settings': changeSettings,
  'GET auth-check': async (c, gateway, name, [scope]) => {
    await locateRepository(gateway, c, name, scope === 'write' ? 'write' : 'read');
    return c.json({});
  },
  'POST preupload': preupload,
  'GET xet-write-token': xetWriteToken,
  'POST commit': createCommit,
};

/**
 * The routes of hub clients, chosen by the path as it was sent: revisions and file paths may have slashes, escaped or
 * not, so a router of patterns cannot distinguish them. Other paths go on.
 */
export function hubRoutes(gateway: HubGateway): MiddlewareHandler<AppEnv> {
  return async function answerHubClient(c, next) {
    const path = hubPathOf(c);
    return path === undefined ? next() : answer(c, gateway, path);
  };
}

function answer(c: Context<AppEnv>, gateway: HubGateway, path: HubPath): Promise<Response> {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  switch (path.at) {
    case 'api': {
      const handler = own(apiRoutes, `${method} ${path.operation}`);
      if (handler !== undefined) return handler(c, gateway);
      break;
    }
    case 'list':
      if (method === 'GET') return listRepositories(c, gateway, path.type);
      break;
    case 'repository': {
      const handler = own(repositoryRoutes, `${method} ${path.operation}`);
      if (handler !== undefined) return handler(c, gateway, path.repository, path.rest);
      break;
    }
    case 'resolve':
      if (method === 'GET') return resolveFile(c, gateway, path.repository, path.rest);
      break;
    case 'raw':
      if (method === 'GET') return rawFile(c, gateway, path.repository, path.rest);
      break;
    case 'lfs-batch':
      if (method === 'POST') return lfsBatch(c, gateway, path.repository);
      break;
    case 'lfs-object':
      if (method === 'PUT' || method === 'POST') return putLfsObject(c, gateway, path);
      break;
    case 'xet':
      return answerXet(c, gateway, path);
    case 'nowhere':
      throw new MissingRepository();
  }
  throw new FirnError('not-found', `This hub does not answer ${c.req.method} here.`);
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
