import { scopeOn, visibleTo } from '../../../access/principal.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { includesScope } from '../../../checkpoint/grant.ts';
import type { RepositorySums } from '../../../catalog/contract/overview-records.ts';
import type { Repository } from '../../../catalog/contract/repository-records.ts';
import type { View } from '../page-context.ts';
import { pagePaths } from '../page-paths.ts';
import { ratioInWords } from '../parts/amounts.ts';
import { nextOf } from '../parts/next-of.ts';
import { Pager } from '../parts/pager.tsx';
import { readQuery } from '../parts/read-query.ts';
import { Snippet } from '../parts/snippet.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

/** Repositories on one page. */
const shownMax = 50;

/** The repositories that the viewer may see, with a search. */
export const homeView: View = async ({ c, gateway: { catalog }, viewer, origin }) => {
  const [search, after] = [readQuery(c, 'search'), readQuery(c, 'after')];
  const page = { limit: shownMax + 1, ...(after !== undefined && { after }) };
  const listed = await catalog.repositories.list(page, visibleTo(viewer.principal), { search });
  const { items, next } = nextOf(listed, shownMax, ({ namespace, name }) => `${namespace}/${name}`);
  const sums = await catalog.overview.repositories(items.map(({ id }) => id));
  const seesAll = includesScope(scopeOn(viewer.principal, {}), 'read');
  return {
    title: search === undefined ? 'Firn' : `Repositories with “${search}”`,
    content: (
      <>
        <h1>Repositories</h1>
        <form class="row" method="get" role="search">
          <div>
            <label for="search">Part of namespace/name</label>
            <input id="search" type="search" name="search" value={search ?? ''} maxlength={200} />
          </div>
          <button type="submit">Search</button>
        </form>
        {items.length === 0 ? (
          <Nothing search={search} seesAll={seesAll} origin={origin} />
        ) : (
          <Table
            caption="Repositories"
            columns={[
              { title: 'Repository' },
              { title: 'Seen by' },
              { title: 'Runs', isNumber: true },
              { title: 'Checkpoints', isNumber: true },
              { title: 'Uploaded', isNumber: true },
              { title: 'Stored', isNumber: true },
              { title: 'Ratio', isNumber: true },
              { title: 'Created (UTC)' },
            ]}
            rows={items.map((repository) => rowOf(repository, sums.get(repository.id)))}
          />
        )}
        <Pager
          path={pagePaths.home}
          query={search === undefined ? {} : { search }}
          isFirst={after === undefined}
          next={next}
        />
      </>
    ),
  };
};

function rowOf(repository: Repository, sums: RepositorySums | undefined) {
  const { rawBytes = 0, storedBytes = 0, runCount = 0, readyCount = 0 } = sums ?? {};
  return [
    <a href={pagePaths.repository(repository)}>{`${repository.namespace}/${repository.name}`}</a>,
    repository.visibility === 'public' ? 'everybody' : 'tokens',
    runCount.toLocaleString('en-US'),
    readyCount.toLocaleString('en-US'),
    bytesInWords(rawBytes),
    bytesInWords(storedBytes),
    ratioInWords(rawBytes, storedBytes),
    <When at={repository.createdAt} />,
  ];
}

function Nothing({ search, seesAll, origin }: { search: string | undefined; seesAll: boolean; origin: string }) {
  if (search !== undefined) return <p>{`No repository that you may see has “${search}” in its name.`}</p>;
  if (!seesAll) return <p>There is no public repository here. Sign in to see those that your token may read.</p>;
  return (
    <>
      <p>There is no repository yet. The first push makes one.</p>
      <Snippet title="Command line" lines={[`firn login ${origin}`, 'firn push me/model/train output --wait']} />
    </>
  );
}
