import type { RunOverview } from '../../../catalog/contract/overview-records.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { scopeOn } from '../../../access/principal.ts';
import { formatGrant, includesScope } from '../../../checkpoint/grant.ts';
import { checkConfirmed, ConfirmedForm, type ConfirmedFormProps } from '../parts/confirmed-form.tsx';
import type { View } from '../page-context.ts';
import { pagePaths, type RepositoryAddress } from '../page-paths.ts';
import { ratioInWords } from '../parts/amounts.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Facts } from '../parts/facts.tsx';
import { nextOf } from '../parts/next-of.ts';
import { Pager } from '../parts/pager.tsx';
import { readQuery } from '../parts/read-query.ts';
import {
  columnOrder,
  orderInWords,
  orderQuery,
  orderRows,
  readOrder,
  type OrderedTable,
  type RowOrder,
} from '../parts/row-order.ts';
import { Snippets } from '../parts/snippets.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

/** Runs on one page. */
const shownMax = 50;

/** The catalog lists runs by name; in other orders are the runs of a page. */
const orders: readonly RowOrder<RunOverview>[] = [
  { name: 'name', words: 'by name', column: 'Run', direction: 'ascending', listed: 'name' },
  { ...byCreation('descending'), name: 'newest', words: 'newest first' },
  { ...byCreation('ascending'), name: 'oldest', words: 'oldest first' },
  { ...byStored('descending'), name: 'largest', words: 'largest first' },
  { ...byStored('ascending'), name: 'smallest', words: 'smallest first' },
];

function byCreation(direction: 'ascending' | 'descending') {
  const keyOf = ({ run }: RunOverview) => run.createdAt.getTime();
  return { column: 'Created (UTC)', direction, listed: 'name', keyOf };
}

function byStored(direction: 'ascending' | 'descending') {
  return { column: 'Stored', direction, listed: 'name', keyOf: ({ storedBytes }: RunOverview) => storedBytes };
}

/** A repository: its runs, what they take, and how to push and pull. */
export function repositoryView(address: RepositoryAddress): View {
  const fullName = `${address.namespace}/${address.name}`;
  return async ({ c, gateway: { catalog, hub }, viewer, locate, origin, form }) => {
    if (form !== undefined) {
      const changed = await locate('admin').repository(address);
      checkConfirmed(form, fullName);
      if (form.get('action') === 'delete') {
        await hub.deleteRepository(changed);
        return { goTo: pagePaths.home };
      }
      await catalog.repositories.setVisibility(changed.id, form.get('action') === 'publish' ? 'public' : 'private');
      return { goTo: pagePaths.repository(address) };
    }
    const repository = await locate('read').repository(address);
    const isAdmin = includesScope(scopeOn(viewer.principal, repository), 'admin');
    const isPublic = repository.visibility === 'public';
    const [after, order] = [readQuery(c, 'after'), readOrder(c, orders)];
    const page = { limit: shownMax + 1, ...(after !== undefined && { after }) };
    const { items, next } = nextOf(await catalog.overview.runs(repository.id, page), shownMax, ({ run }) => run.name);
    const sums = (await catalog.overview.repositories([repository.id])).get(repository.id);
    const { rawBytes = 0, storedBytes = 0 } = sums ?? {};
    const run = items[0]?.run.name;
    const latest =
      run === undefined ? undefined : (await catalog.locations.find({ ...address, run, step: 'latest' })).checkpoint;
    const path = pagePaths.repository(address);
    const isWhole = after === undefined && next === undefined;
    return {
      title: fullName,
      content: (
        <>
          <Crumbs />
          <h1>{fullName}</h1>
          <Facts
            facts={[
              ['Stored', <span class="big">{bytesInWords(storedBytes)}</span>],
              ['Uploaded', <span class="big">{bytesInWords(rawBytes)}</span>],
              ['Ratio', <span class="big">{ratioInWords(rawBytes, storedBytes)}</span>],
              ['Seen by', repository.visibility === 'public' ? 'everybody' : 'tokens that may read it'],
              ['Type', repository.type],
              ['Created (UTC)', <When at={repository.createdAt} />],
            ]}
          />
          <h2 id="runs">Runs, {orderInWords(order, isWhole)}</h2>
          {items.length === 0 ? (
            <p>It has no run yet.</p>
          ) : (
            <Runs address={address} runs={orderRows(items, order)} table={{ path, id: 'runs', order, orders, after }} />
          )}
          <Pager path={path} query={orderQuery(order, orders)} isFirst={after === undefined} next={next} />
          {items.length > 1 && <CompareForm address={address} runs={items.map(({ run }) => run.name)} />}
          <Snippets
            origin={origin}
            repository={repository}
            run={run ?? 'train'}
            step="latest"
            files={latest && (await catalog.files.list(latest.id))}
            needsToken={!viewer.isOpenHub}
            canBePulled={latest !== undefined}
          />
          {isAdmin && !viewer.isOpenHub && (
            <p>
              <a
                href={pagePaths.newToken(
                  formatGrant({ scope: 'read', namespace: address.namespace, repository: address.name }),
                )}
              >
                Make a read token for this repository
              </a>
            </p>
          )}
          {isAdmin && <AdminForms viewer={viewer} path={path} name={fullName} isPublic={isPublic} />}
        </>
      ),
    };
  };
}

/** What only an admin of the repository may do. */
function AdminForms({
  viewer,
  path,
  name,
  isPublic,
}: Pick<ConfirmedFormProps, 'viewer' | 'path' | 'name'> & { readonly isPublic: boolean }) {
  return (
    <>
      <ConfirmedForm
        viewer={viewer}
        path={path}
        action={isPublic ? 'hide' : 'publish'}
        words={isPublic ? 'Make it private' : 'Make it public'}
        name={name}
      >
        <p>
          {isPublic
            ? 'From then on only tokens that may read it see it.'
            : 'From then on everybody who reaches the hub may read it, without a token.'}
        </p>
      </ConfirmedForm>
      <ConfirmedForm viewer={viewer} path={path} action="delete" words="Delete the repository" name={name}>
        <p>
          All its runs, checkpoints and eval sets are deleted, and what is being compressed is cancelled. Bytes that
          other repositories build on are kept, out of sight.
        </p>
      </ConfirmedForm>
    </>
  );
}

function Runs({
  address,
  runs,
  table,
}: {
  readonly address: RepositoryAddress;
  readonly runs: readonly RunOverview[];
  readonly table: OrderedTable<RunOverview>;
}) {
  return (
    <Table
      caption="Runs"
      columns={[
        { title: 'Run' },
        { title: 'Kept' },
        { title: 'Forked from' },
        { title: 'Ready', isNumber: true },
        { title: 'In work', isNumber: true },
        { title: 'Failed', isNumber: true },
        { title: 'Uploaded', isNumber: true },
        { title: 'Stored', isNumber: true },
        { title: 'Ratio', isNumber: true },
        { title: 'Created (UTC)' },
      ].map((column) => ({ ...column, order: columnOrder(column.title, table) }))}
      rows={runs.map(({ run, forkedFrom, counts, rawBytes, storedBytes }) => [
        <a href={pagePaths.run({ ...address, run: run.name })}>{run.name}</a>,
        `${run.fidelity}${run.closedAt === undefined ? '' : ', closed'}`,
        forkedFrom && (
          <a href={pagePaths.checkpoint({ ...address, ...forkedFrom })}>{`${forkedFrom.run}@${forkedFrom.step}`}</a>
        ),
        counts.ready,
        counts.open + counts.queued + counts.working,
        counts.failed,
        bytesInWords(rawBytes),
        bytesInWords(storedBytes),
        ratioInWords(rawBytes, storedBytes),
        <When at={run.createdAt} />,
      ])}
    />
  );
}

function CompareForm({ address, runs }: { readonly address: RepositoryAddress; readonly runs: readonly string[] }) {
  const choice = (name: string, label: string, chosen: string | undefined) => (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {runs.map((run) => (
          <option value={run} selected={run === chosen}>
            {run}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <form class="row" method="get" action={pagePaths.compare(address)}>
      {choice('one', 'Compare', runs[0])}
      {choice('two', 'with', runs[1])}
      <button type="submit">Compare runs</button>
    </form>
  );
}
