import type { Checkpoint, CheckpointOrder, CheckpointState } from '../../../catalog/contract/checkpoint-records.ts';
import type { RunOverview } from '../../../catalog/contract/overview-records.ts';
import type { PackageRecord } from '../../../catalog/contract/storage/package-records.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { methodConfigOf } from '../../../checkpoint/options/quantization-config.ts';
import type { MetricKind } from '../../../checkpoint/quality/metric-kind.ts';
import { thresholdsInWords } from '../../../checkpoint/quality/threshold-words.ts';
import type { Waiting } from '../../../ingest/checkpoint/what-it-waits-for.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { namesOfRun } from '../../routes/run/names-of-run.ts';
import { scopeOn } from '../../../access/principal.ts';
import { includesScope } from '../../../checkpoint/grant.ts';
import { checkConfirmed, ConfirmedForm } from '../parts/confirmed-form.tsx';
import type { PageContext, View } from '../page-context.ts';
import { pagePaths, type RunAddress } from '../page-paths.ts';
import { lostInWords, ratioInWords } from '../parts/amounts.ts';
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
import { boundedMetrics, drawnMax, kindsOf, limitOf, type KindOf } from '../parts/sampled-run.ts';
import { Snippets } from '../parts/snippets.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { RunCharts } from './run-charts.tsx';

/** Checkpoints on one page of the list. */
const shownMax = 50;
/** Most forks that are named. */
const forksMax = 50;

/** The catalog lists checkpoints as they were begun; in other orders are the checkpoints of a page. */
const orders: readonly RowOrder<Checkpoint, CheckpointOrder>[] = [
  { name: 'newest', words: 'newest first', column: 'Step', direction: 'descending', listed: 'newest' },
  { name: 'oldest', words: 'oldest first', column: 'Step', direction: 'ascending', listed: 'oldest' },
  { ...byStored('descending'), name: 'largest', words: 'largest first' },
  { ...byStored('ascending'), name: 'smallest', words: 'smallest first' },
  { ...byRatio('ascending'), name: 'least-ratio', words: 'smallest ratio first' },
  { ...byRatio('descending'), name: 'most-ratio', words: 'largest ratio first' },
];

function byStored(direction: 'ascending' | 'descending') {
  const keyOf = ({ result }: Checkpoint) => result?.storedBytes;
  return { column: 'Stored', direction, listed: 'newest', keyOf } as const;
}

function byRatio(direction: 'ascending' | 'descending') {
  const keyOf = ({ result }: Checkpoint) => result && result.rawBytes / Math.max(1, result.storedBytes);
  return { column: 'Ratio', direction, listed: 'newest', keyOf } as const;
}

/** A run as a timeline: charts over all of it, and its checkpoints, the newest first. */
export function runView(address: RunAddress): View {
  return async (ctx) => {
    const { gateway, viewer, locate, origin, form } = ctx;
    if (form !== undefined) {
      const deleted = await locate('write').run(address);
      checkConfirmed(form, address.run);
      await gateway.runs.delete(deleted);
      return { goTo: pagePaths.repository(address) };
    }
    const repository = await locate('read').repository(address);
    const run = await locate('read').run(address);
    const order = readOrder(ctx.c, orders);
    const { overview } = gateway.catalog;
    const [sums, drawn, forks, listed, names] = await Promise.all([
      overview.sums(run.id),
      overview.sample(run.id, drawnMax),
      overview.forks(run, forksMax),
      listCheckpoints(ctx, run.id, order.listed),
      // The sums have the counts already.
      namesOfRun(gateway.catalog, run, new Map()),
    ]);
    const ids = [...drawn, ...listed.items].flatMap(({ packageId }) => packageId ?? []);
    const newest = drawn.at(-1);
    const [records, files, waits] = await Promise.all([
      overview.packages([...new Set(ids)]),
      newest && gateway.catalog.files.list(newest.id),
      gateway.checkpoints.allWaitFor(listed.items),
    ]);
    const packages = new Map(records.map((record) => [record.id, record]));
    const total = Object.values(sums.counts).reduce((sum, count) => sum + count, 0);
    const { forkedFrom, evalSet } = names;
    const thresholds = evalSet === undefined ? [] : thresholdsInWords(evalSet.spec, run.thresholds);
    const words = orderInWords(order, listed.after === undefined && listed.next === undefined);
    const path = pagePaths.run(address);
    return {
      title: `${address.run} of ${address.namespace}/${address.name}`,
      content: (
        <>
          <Crumbs repository={address} />
          <h1>Run {address.run}</h1>
          <RunFacts
            overview={{ run, ...sums, ...(forkedFrom && { forkedFrom }) }}
            address={address}
            evalSet={evalSet?.name}
            thresholds={thresholds}
          />
          {forks.length > 0 && (
            <p>
              {'Forked from here: '}
              {forks.map(({ run: fork, step }, at) => (
                <>
                  {at > 0 && ', '}
                  <a href={pagePaths.run({ ...address, run: fork })}>{fork}</a> at step {step}
                </>
              ))}
            </p>
          )}
          {newest === undefined ? (
            <p>It has no checkpoint yet.</p>
          ) : (
            <>
              {total > drawn.length && (
                <p class="dim">
                  The charts draw {drawn.length.toLocaleString('en-US')} of {total.toLocaleString('en-US')} checkpoints,
                  at equal distances.
                </p>
              )}
              <RunCharts
                drawn={drawn}
                packages={packages}
                forks={forks}
                isSample={total > drawn.length}
                run={address.run}
                kindOf={kindsOf(evalSet)}
              />
              <h2 id="checkpoints">Checkpoints, {words}</h2>
              <Checkpoints
                address={address}
                checkpoints={orderRows(listed.items, order)}
                packages={packages}
                waits={waits}
                kindOf={kindsOf(evalSet)}
                words={words}
                table={{ path, id: 'checkpoints', order, orders, after: listed.after }}
              />
              <Pager
                path={path}
                query={orderQuery(order, orders)}
                isFirst={listed.after === undefined}
                next={listed.next}
              />
            </>
          )}
          <Snippets
            origin={origin}
            repository={repository}
            run={address.run}
            step={newest?.step ?? 'latest'}
            files={files}
            needsToken={!viewer.isOpenHub}
            canBePulled={newest !== undefined}
          />
          {includesScope(scopeOn(viewer.principal, repository), 'write') && (
            <ConfirmedForm viewer={viewer} path={path} action="delete" words="Delete the run" name={address.run}>
              <p>All its checkpoints are deleted. Those that others build on are kept, out of sight.</p>
            </ConfirmedForm>
          )}
        </>
      ),
    };
  };
}

async function listCheckpoints({ c, gateway: { catalog } }: PageContext, runId: string, order: CheckpointOrder) {
  const after = readQuery(c, 'after');
  if (after !== undefined && !/^\d{1,9}$/.test(after)) throw new FirnError('invalid-request', '"after" is a number.');
  const page = { limit: shownMax + 1, ...(after !== undefined && { after }) };
  const found = await catalog.checkpoints.list(runId, page, order);
  return { ...nextOf(found, shownMax, ({ sequence }) => String(sequence)), after };
}

function RunFacts({
  overview: { run, forkedFrom, counts, rawBytes, storedBytes },
  address,
  evalSet,
  thresholds,
}: {
  readonly overview: RunOverview;
  readonly address: RunAddress;
  readonly evalSet: string | undefined;
  readonly thresholds: readonly string[];
}) {
  const states = (Object.keys(counts) as CheckpointState[]).filter((state) => counts[state] > 0);
  return (
    <Facts
      facts={[
        ['Stored', <span class="big">{bytesInWords(storedBytes)}</span>],
        ['Uploaded', <span class="big">{bytesInWords(rawBytes)}</span>],
        ['Ratio', <span class="big">{ratioInWords(rawBytes, storedBytes)}</span>],
        [
          'Checkpoints',
          states.map((state) => `${counts[state].toLocaleString('en-US')} ${state}`).join(', ') || 'none',
        ],
        ['Kept', `${run.fidelity}${run.closedAt === undefined ? '' : '; the run is closed'}`],
        ['Eval set', evalSet],
        ['Threshold', thresholds.length > 0 ? thresholds.join('; ') : undefined, 'wide'],
        [
          'Forked from',
          forkedFrom && (
            <a href={pagePaths.checkpoint({ ...address, ...forkedFrom })}>{`${forkedFrom.run}@${forkedFrom.step}`}</a>
          ),
        ],
        ['Created (UTC)', <When at={run.createdAt} />],
      ]}
    />
  );
}

function Checkpoints({
  address,
  checkpoints,
  packages,
  waits,
  kindOf,
  words,
  table,
}: {
  readonly address: RunAddress;
  readonly checkpoints: readonly Checkpoint[];
  readonly packages: ReadonlyMap<string, PackageRecord>;
  readonly waits: ReadonlyMap<string, Waiting>;
  readonly kindOf: KindOf;
  /** Their order. */
  readonly words: string;
  readonly table: OrderedTable<Checkpoint>;
}) {
  const metrics = boundedMetrics(checkpoints);
  const followed = checkpoints.find(({ state }) => state === 'working' || state === 'queued');
  return (
    <Table
      caption={`Checkpoints, ${words}`}
      columns={[
        { title: 'Step', isNumber: true },
        { title: 'State' },
        { title: 'Uploaded', isNumber: true },
        { title: 'Stored', isNumber: true },
        { title: 'Ratio', isNumber: true },
        { title: 'Stored as' },
        ...metrics.map((metric) => ({ title: `${metric}: lost / limit`, isNumber: true })),
        { title: 'Config' },
        { title: 'Created (UTC)' },
      ].map((column) => ({ ...column, order: columnOrder(column.title, table) }))}
      rows={checkpoints.map((each) => {
        const { state, result, step, errorMessage } = each;
        return [
          <a href={pagePaths.checkpoint({ ...address, step })}>{step}</a>,
          <>
            <StateMark state={state} />{' '}
            {each === followed ? (
              <span data-events={pagePaths.events({ ...address, step })} role="status">
                {waits.get(each.id)?.inWords}
              </span>
            ) : (
              waits.get(each.id)?.inWords
            )}
            {state === 'failed' && <span class="bad">{errorMessage}</span>}
          </>,
          result && bytesInWords(result.rawBytes),
          result && bytesInWords(result.storedBytes),
          result && ratioInWords(result.rawBytes, result.storedBytes),
          result && storedAs(each, packages, address.run),
          ...metrics.map((metric) => <Lost checkpoint={each} metric={metric} kind={kindOf(metric)} />),
          result?.config && `${result.config.method}: ${methodConfigOf(result.config.method).describe(result.config)}`,
          <When at={each.createdAt} />,
        ];
      })}
    />
  );
}

function storedAs(
  { result, packageId }: Checkpoint,
  packages: ReadonlyMap<string, PackageRecord>,
  run: string,
): string {
  if (packageId === undefined) return 'as uploaded';
  const { kind, ancestorRun, ancestorStep, chainLength } = result!;
  const merged = packages.get(packageId)?.mergedPackageId === undefined ? '' : ', merged';
  if (kind === 'base' || ancestorStep === undefined) return `${kind}${merged}`;
  const ofRun = ancestorRun === undefined || ancestorRun === run ? '' : `${ancestorRun}@`;
  return `delta to ${ofRun}${ancestorStep}, chain of ${chainLength}${merged}`;
}

/** What a metric lost, beside what it might have lost. */
function Lost({
  checkpoint,
  metric,
  kind,
}: {
  readonly checkpoint: Checkpoint;
  readonly metric: string;
  readonly kind: MetricKind | undefined;
}) {
  const value = checkpoint.result?.degradation?.[metric];
  if (value === undefined) return <>–</>;
  const limit = limitOf(checkpoint, metric);
  const isWithin = limit === undefined || value <= limit;
  return (
    <>
      <span class={isWithin ? 'good' : 'bad'}>{lostInWords(value, kind)}</span> / {lostInWords(limit, kind)}
    </>
  );
}
