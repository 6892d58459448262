import { randomUUID } from 'node:crypto';
import { FirnProblem } from '../../../clients/typescript/src/index.ts';
import type { Session } from './session.ts';

/** Makes a repository if it is not there, and says so. */
export async function makeRepository(
  { hub, terminal }: Session,
  path: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const { namespace, name } = path;
  const known = () => hub.api.GET('/v1/repositories/{namespace}/{name}', { params: { path: { namespace, name } } });
  if ((await ifThere(known)) !== undefined) return;
  await hub.api.POST('/v1/repositories', {
    params: { header: { 'idempotency-key': randomUUID() } },
    body: { namespace, name },
  });
  terminal.remark(`made the repository ${namespace}/${name}, which is private`);
}

/** The answer to a request; undefined if the hub does not have what it asks for. */
export async function ifThere<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof FirnProblem && error.status === 404) return undefined;
    throw error;
  }
}
