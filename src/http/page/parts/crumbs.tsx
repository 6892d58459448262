import { pagePaths, type RepositoryAddress } from '../page-paths.ts';

/** Where a page is: its repository, and its run unless the page is the run's own. */
export function Crumbs({ repository, run }: { readonly repository?: RepositoryAddress; readonly run?: string }) {
  return (
    <nav class="crumbs" aria-label="Where this page is">
      <a href={pagePaths.home}>Repositories</a>
      {repository !== undefined && (
        <>
          {' / '}
          <a href={pagePaths.repository(repository)}>{`${repository.namespace}/${repository.name}`}</a>
        </>
      )}
      {repository !== undefined && run !== undefined && (
        <>
          {' / '}
          <a href={pagePaths.run({ ...repository, run })}>{run}</a>
        </>
      )}
    </nav>
  );
}
