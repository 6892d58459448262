import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvalSet } from '../catalog/catalog.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';

/** Checks an eval set's graph, batches and spec against each other in an evaluation child. Rejects with why it cannot be used, and then keeps no local copy. */
export async function checkEvalSet(ctx: { store: ObjectStore; evaluator: Evaluator; workDirectory: string }, evalSet: EvalSet): Promise<void> {
  const directory = evalSetDirectory(ctx.workDirectory);
  try {
    await ctx.evaluator.check(await localEvalSet(ctx.store, evalSet, directory));
  } catch (error) {
    await rm(join(directory, evalSet.id), { recursive: true, force: true });
    throw error;
  }
}
