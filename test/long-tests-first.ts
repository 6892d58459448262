import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders and files of tests that take more than a minute each, the longest first. */
const long = [
  'test/faults/',
  'test/crash/kill-nine',
  'test/exports/',
  'test/hub-clients/',
  'test/race/',
  'test/integrity/',
  'test/crash/',
  'bench/restart/',
  'test/exact/',
  'src/catalog/pglite/',
  'src/catalog/postgres/',
  'src/store/s3/',
  'test/uploads/',
  'test/acceptance/wrong-eval-sets',
  'test/load/',
];

/**
 * Starts the long test files first, so that at the end no processor waits for the last of them. Files that have a
 * process of their own go before those that share one: a shared process ends where the next file is of another project.
 */
export default class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const rankOf = ({ moduleId, project }: TestSpecification): number => {
      const path = relative(root, moduleId).split(sep).join('/');
      const rank = long.findIndex((prefix) => path.startsWith(prefix));
      return (project.config.isolate ? 0 : long.length + 1) + (rank < 0 ? long.length : rank);
    };
    // The sort is stable: files of one rank stay in vitest's order.
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
