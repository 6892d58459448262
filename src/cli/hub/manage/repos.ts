import { randomUUID } from 'node:crypto';
import {
  formatTarget,
  listRepositories,
  type components,
  type RepositoryFilter,
} from '../../../../clients/typescript/src/index.ts';
import { printRepositories } from '../look.ts';
import { openSession, repositoryTarget, type HubOptions, type Session } from '../session.ts';
import { requireSomebodyToAsk } from './confirm-name.ts';
import { deleteNamed, type DeleteCommand } from './delete-named.ts';

export interface CreateRepository extends HubOptions {
  readonly public?: boolean;
}

/** `firn repos list`. */
export async function listRepos(options: HubOptions & RepositoryFilter): Promise<void> {
  const session = openSession(options);
  printRepositories(session, await listRepositories(session.hub, options));
  session.hub.close();
}

/** `firn repos create REPOSITORY`. */
export async function createRepo(text: string, options: CreateRepository): Promise<void> {
  const target = repositoryTarget(text);
  const session = openSession(options);
  const { data } = await session.hub.api.POST('/v1/repositories', {
    params: { header: { 'idempotency-key': randomUUID() } },
    body: { ...target, visibility: options.public === true ? 'public' : 'private' },
  });
  sayWhoReads(session, data!);
}

/** `firn repos visibility REPOSITORY private|public`. */
export async function changeVisibility(
  text: string,
  visibility: 'private' | 'public',
  options: HubOptions,
): Promise<void> {
  const path = repositoryTarget(text);
  const session = openSession(options);
  const { data } = await session.hub.api.PATCH('/v1/repositories/{namespace}/{name}', {
    params: { path },
    body: { visibility },
  });
  sayWhoReads(session, data!);
}

/** `firn repos delete REPOSITORY`: with its runs, eval sets and commits. Asks for the name once more. */
export async function deleteRepo(text: string, options: DeleteCommand): Promise<void> {
  const path = repositoryTarget(text);
  const name = formatTarget(path);
  requireSomebodyToAsk(name, options.yes === true);
  const session = openSession(options);
  const { api } = session.hub;
  await deleteNamed(session, {
    name,
    isSure: options.yes === true,
    read: () => api.GET('/v1/repositories/{namespace}/{name}', { params: { path } }),
    remove: (header) => api.DELETE('/v1/repositories/{namespace}/{name}', { params: { path, header } }),
    afterwards: 'what it took is free after the grace, less what runs of other repositories build on (firn usage)',
  });
}

function sayWhoReads({ hub, terminal }: Session, repository: components['schemas']['Repository']): void {
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(repository));
  const who = repository.visibility === 'public' ? 'everybody can read it' : 'a token is needed to read it';
  terminal.say(
    `${formatTarget({ namespace: repository.namespace, name: repository.name })}: ${repository.visibility}, ${who}`,
  );
}
