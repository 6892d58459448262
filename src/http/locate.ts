import type { Context } from 'hono';
import type { Catalog, Checkpoint, EvalSet, Repository, Run } from '../catalog/catalog.ts';
import { anonymous, scopeOn, type Principal } from '../access/principal.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { includesScope, type Scope } from '../checkpoint/grant.ts';
import type { AppEnv } from './app-env.ts';

export interface RepositoryNames {
  readonly namespace: string;
  readonly name: string;
}
export interface EvalSetNames extends RepositoryNames {
  readonly evalSet: string;
}
export interface RunNames extends RepositoryNames {
  readonly run: string;
}
export interface CheckpointNames extends RunNames {
  readonly step: number;
}

export interface LocatedCheckpoint {
  readonly repository: Repository;
  readonly run: Run;
  readonly checkpoint: Checkpoint;
}

/** From the names in a URL to records. Each verb throws `not-found`, naming the first thing that is missing. */
export interface Locator {
  repository(names: RepositoryNames): Promise<Repository>;
  evalSet(names: EvalSetNames): Promise<EvalSet>;
  run(names: RunNames): Promise<Run>;
  checkpoint(names: CheckpointNames): Promise<LocatedCheckpoint>;
}

/**
 * The way from names to records for a request that needs `scope` on their repository: there is no other, so no spelling of a path leads past it. A repository that the request's
 * principal may not see is `not-found`, as one that does not exist; one it sees, but with less than `scope`, `forbidden`, or `unauthenticated` without a token.
 */
export type Locate = (c: Context<AppEnv>, scope: Scope) => Locator;

export function createLocate(catalog: Catalog): Locate {
  return (c, scope) => {
    const { principal } = c.var;
    const locator: Locator = {
      async repository({ namespace, name }) {
        const repository = await catalog.repositories.find(namespace, name);
        const held = repository && scopeOn(principal, repository);
        checkScope(principal, found(held, 'repository'), scope);
        c.set('repositoryId', repository!.id);
        return repository!;
      },
      async evalSet(names) {
        const repository = await locator.repository(names);
        return found(await catalog.evalSets.find(repository.id, names.evalSet), 'eval set');
      },
      async run(names) {
        const repository = await locator.repository(names);
        return found(await catalog.runs.find(repository.id, names.run), 'run');
      },
      async checkpoint(names) {
        const repository = await locator.repository(names);
        const run = found(await catalog.runs.find(repository.id, names.run), 'run');
        return { repository, run, checkpoint: found(await catalog.checkpoints.find(run.id, names.step), 'checkpoint') };
      },
    };
    return locator;
  };
}

/** Throws `forbidden`, or `unauthenticated` for a request without a token, when less is held than needed. */
export function checkScope(principal: Principal, held: Scope | undefined, needed: Scope): void {
  if (includesScope(held, needed)) return;
  checkToken(principal);
  throw new FirnError('forbidden', `This needs the scope ${needed}.`);
}

/** Throws `unauthenticated` for a request without a token. */
export function checkToken({ id }: Principal): void {
  if (id === anonymous.id) throw new FirnError('unauthenticated', 'This needs a token.');
}

/** The value, or `not-found` with a sentence about what is missing. */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new FirnError('not-found', `There is no such ${what}.`);
  return value;
}
