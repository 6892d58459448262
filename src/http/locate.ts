import type { Catalog, Checkpoint, EvalSet, Repository, Run } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

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

export function createLocator(catalog: Catalog): Locator {
  const locator: Locator = {
    async repository({ namespace, name }) {
      return found(await catalog.repositories.find(namespace, name), 'repository');
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
}

/** The value, or `not-found` with a sentence about what is missing. */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new FirnError('not-found', `There is no such ${what}.`);
  return value;
}
