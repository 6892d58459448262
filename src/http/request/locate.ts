import type { Context } from 'hono';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { StepOrLatest } from '../../catalog/contract/location-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { anonymous, scopeOn, type Principal } from '../../access/principal.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { includesScope, type Scope } from '../../checkpoint/grant.ts';
import { checkFilePath } from '../../checkpoint/names.ts';
import type { AppEnv } from '../app-env.ts';

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
/** `latest` is the newest ready checkpoint of the run; only operations that read take it. */
export interface CheckpointNames extends RunNames {
  readonly step: StepOrLatest;
}
export interface FileNames extends CheckpointNames {
  readonly path: string;
}

export interface LocatedCheckpoint {
  readonly repository: Repository;
  readonly run: Run;
  readonly checkpoint: Checkpoint;
}
export interface LocatedFile extends LocatedCheckpoint {
  readonly file: CheckpointFile;
}

/** Finds records by the names in a URL. Each method throws `not-found` with the first missing thing. */
export interface Locator {
  repository(names: RepositoryNames): Promise<Repository>;
  evalSet(names: EvalSetNames): Promise<EvalSet>;
  run(names: RunNames): Promise<Run>;
  checkpoint(names: CheckpointNames): Promise<LocatedCheckpoint>;
  /** Throws `invalid-request` for an invalid file path. */
  file(names: FileNames): Promise<LocatedFile>;
}

/**
 * The locator for a request that needs `scope` on its repository. Handlers find records only through it, so no spelling
 * of a path avoids the check. A repository that the principal may not see is `not-found`, like one that does not exist.
 * If the principal has less than `scope`, it is `forbidden`, or `unauthenticated` without a token.
 */
export type Locate = (c: Context<AppEnv>, scope: Scope) => Locator;

export function createLocate(catalog: Catalog): Locate {
  return (c, scope) => {
    const { principal } = c.var;
    const visible = (repository: Repository | undefined): Repository => {
      const held = repository && scopeOn(principal, repository);
      checkScope(principal, found(held, 'repository'), scope);
      c.set('repositoryId', repository!.id);
      return repository!;
    };
    /** The records that the names lead to, as far as the principal may see them. */
    const along = async (names: RunNames & Partial<FileNames>) => {
      const located = await catalog.locations.find(names);
      return { ...located, repository: visible(located.repository), run: found(located.run, 'run') };
    };
    const locator: Locator = {
      async repository({ namespace, name }) {
        return visible(await catalog.repositories.find(namespace, name));
      },
      async evalSet(names) {
        const repository = await locator.repository(names);
        return found(await catalog.evalSets.find(repository.id, names.evalSet), 'eval set');
      },
      async run({ namespace, name, run }) {
        return (await along({ namespace, name, run })).run;
      },
      async checkpoint({ namespace, name, run, step }) {
        const located = await along({ namespace, name, run, step });
        return { ...located, checkpoint: foundAt({ step }, located.checkpoint) };
      },
      async file(names) {
        const located = await along(names);
        const checkpoint = foundAt(names, located.checkpoint);
        checkFilePath(names.path);
        return { ...located, checkpoint, file: found(located.file, 'file') };
      },
    };
    return locator;
  };
}

/** Throws `forbidden`, or `unauthenticated` for a request without a token, if the held scope is less than needed. */
export function checkScope(principal: Principal, held: Scope | undefined, needed: Scope): void {
  if (includesScope(held, needed)) return;
  checkToken(principal);
  throw new FirnError('forbidden', `This needs the scope ${needed}.`);
}

/** Throws `unauthenticated` for a request without a token. */
export function checkToken({ id }: Principal): void {
  if (id === anonymous.id) throw new FirnError('unauthenticated', 'This needs a token.');
}

/** The error of a request for a path that nothing is at. */
export function nothingThere(): FirnError {
  return new FirnError('not-found', 'There is nothing at this path.');
}

/** The value, or `not-found` with the name of the missing thing. */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new FirnError('not-found', `There is no such ${what}.`);
  return value;
}

function foundAt({ step }: Pick<CheckpointNames, 'step'>, checkpoint: Checkpoint | undefined): Checkpoint {
  if (checkpoint === undefined && step === 'latest')
    throw new FirnError('not-found', 'The run has no checkpoint that is ready yet.');
  return found(checkpoint, 'checkpoint');
}
