import { scopeOn } from '../../../access/principal.ts';
import { stateInWords } from '../../../checkpoint/words/state-in-words.ts';
import type { NamedCheckpoint } from '../../../catalog/contract/overview-records.ts';
import type { Waiting } from '../../../ingest/checkpoint/what-it-waits-for.ts';
import { jobStates } from '../../../catalog/contract/work/job-records.ts';
import { livingMs } from '../../../catalog/contract/work/process-records.ts';
import { checkScope } from '../../request/locate.ts';
import type { View } from '../page-context.ts';
import { pagePaths } from '../page-paths.ts';
import { countOf, secondsInWords } from '../parts/amounts.ts';
import { Facts } from '../parts/facts.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

/** Most checkpoints that are listed. */
const shownMax = 20;

/** Jobs and workers of the whole hub, for who may read all of it. */
export const queueView: View = async ({ gateway: { catalog, checkpoints: verbs }, viewer: { principal } }) => {
  checkScope(principal, scopeOn(principal, {}), 'read');
  const [counts, waits, workers, withGpu, gateways, checkpoints, queued] = await Promise.all([
    catalog.jobs.count(),
    catalog.jobs.oldestQueued(),
    catalog.processes.living('worker', livingMs),
    catalog.processes.living('worker', livingMs, 'cuda'),
    catalog.processes.living('gateway', livingMs),
    catalog.checkpoints.count(),
    catalog.overview.queued(shownMax),
  ]);
  const waiting = await verbs.allWaitFor(queued.map(({ checkpoint }) => checkpoint));
  const kinds = [...new Set(counts.map(({ kind }) => kind))].sort();
  const countFor = (kind: string, state: string): number =>
    counts.reduce((sum, each) => sum + (each.kind === kind && each.state === state ? each.count : 0), 0);
  const longestWait = (kind: string): string => {
    const seconds = waits.filter((each) => each.kind === kind).map((each) => each.seconds);
    return seconds.length === 0 ? '–' : secondsInWords(Math.max(...seconds));
  };
  return {
    title: 'Queue',
    content: (
      <>
        <h1>Queue and workers</h1>
        {workers.count === 0 && (
          <p class="note">No worker gives a sign of life: what is pushed waits until one is started.</p>
        )}
        <Facts
          facts={[
            ['Workers', <span class="big">{workers.count}</span>],
            ...(withGpu.count > 0 ? ([['Workers with a GPU', String(withGpu.count)]] as const) : []),
            ['Gateways', <span class="big">{gateways.count}</span>],
            [
              'Last sign of a worker',
              'newestSignMs' in workers ? `${secondsInWords(workers.newestSignMs / 1000)} ago` : 'none',
            ],
            ['Checkpoints that wait', countOf(checkpoints.queued, 'checkpoint')],
            ['Checkpoints in work', countOf(checkpoints.working, 'checkpoint')],
            ['Checkpoints that failed', countOf(checkpoints.failed, 'checkpoint')],
          ]}
        />
        {queued.length > 0 && <Queued queued={queued} waiting={waiting} />}
        <h2>Jobs</h2>
        {kinds.length === 0 ? (
          <p>There was no job yet.</p>
        ) : (
          <Table
            caption="Jobs by kind and state"
            columns={[
              { title: 'Kind' },
              ...jobStates.map((state) => ({ title: state, isNumber: true })),
              { title: 'Longest wait', isNumber: true },
            ]}
            rows={kinds.map((kind) => [
              kind,
              ...jobStates.map((state) => countFor(kind, state).toLocaleString('en-US')),
              longestWait(kind),
            ])}
          />
        )}
      </>
    ),
  };
};

/** What the oldest queued checkpoints wait for. */
function Queued({
  queued,
  waiting,
}: {
  readonly queued: readonly NamedCheckpoint[];
  readonly waiting: ReadonlyMap<string, Waiting>;
}) {
  return (
    <>
      <h2>Checkpoints that wait{queued.length === shownMax && `, the oldest ${shownMax}`}</h2>
      <Table
        caption="Checkpoints that wait"
        columns={[{ title: 'Checkpoint' }, { title: 'State' }, { title: 'Created (UTC)' }]}
        rows={queued.map(({ checkpoint: { id, step, createdAt }, ...names }) => [
          <a
            href={pagePaths.checkpoint({ ...names, step })}
          >{`${names.namespace}/${names.name} ${names.run}@${step}`}</a>,
          stateInWords('queued', waiting.get(id)),
          <When at={createdAt} />,
        ])}
      />
    </>
  );
}
