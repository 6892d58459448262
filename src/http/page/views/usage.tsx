import { anonymous, scopeOn, visibleTo } from '../../../access/principal.ts';
import {
  storedParts,
  type NamespaceUsage,
  type StoredPart,
  type Usage,
} from '../../../catalog/contract/storage/usage-records.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { includesScope } from '../../../checkpoint/grant.ts';
import type { View } from '../page-context.ts';
import { pagePaths } from '../page-paths.ts';
import { ratioInWords } from '../parts/amounts.ts';
import { Facts } from '../parts/facts.tsx';
import { nextOf } from '../parts/next-of.ts';
import { Pager } from '../parts/pager.tsx';
import { readQuery } from '../parts/read-query.ts';
import { Table } from '../parts/table.tsx';

/** Namespaces on one page. */
const shownMax = 100;

/** What the parts of storage are for. */
const partWords: Readonly<Record<StoredPart, string>> = {
  package: 'Packages of checkpoints',
  staged: 'Uploads that wait for compression',
  raw: 'Uploads that are kept',
  evalSet: 'Eval sets',
  hub: 'Other files of repositories',
  hidden: 'Deleted, but others build on it',
  pendingDeletion: 'Waits for deletion',
};

/** What is stored, of the whole hub and of each namespace, as far as the viewer may read it. */
export const usageView: View = async ({ c, gateway: { catalog }, viewer: { principal, isOpenHub } }) => {
  const after = readQuery(c, 'after');
  const visible = visibleTo(principal);
  const page = { limit: shownMax + 1, ...(after !== undefined && { after }) };
  const names = visible === 'all' ? undefined : visible.namespaces;
  const seesAll = includesScope(scopeOn(principal, {}), 'read');
  const [listed, hub] = await Promise.all([
    catalog.usage.namespaces(page, names),
    seesAll ? catalog.usage.hub() : undefined,
  ]);
  const { items, next } = nextOf(listed, shownMax, ({ namespace }) => namespace);
  return {
    title: 'Usage',
    content: (
      <>
        <h1>Usage</h1>
        {hub !== undefined && <Hub usage={hub} />}
        <h2>By namespace</h2>
        {items.length === 0 ? (
          <p>
            {principal.id === anonymous.id && !isOpenHub ? (
              <>
                Usage is shown to who may read a whole namespace: <a href={pagePaths.signIn}>sign in</a>.
              </>
            ) : (
              'There is no namespace that you may read as a whole.'
            )}
          </p>
        ) : (
          <Namespaces namespaces={items} />
        )}
        <Pager path={pagePaths.usage} isFirst={after === undefined} next={next} />
      </>
    ),
  };
};

function Hub({ usage }: { readonly usage: Usage }) {
  const stored = storedOf(usage);
  const { package: packages, raw, hub } = usage.stored;
  const storedForIt = packages + raw + hub;
  const { rawBytes, storedBytes } = usage.compressed;
  return (
    <>
      <Facts
        facts={[
          ['Saved in total', <span class="big">{bytesInWords(Math.max(0, usage.logical - storedForIt))}</span>],
          ['Uploaded', <span class="big">{bytesInWords(usage.logical)}</span>],
          ['Stored for it', <span class="big">{bytesInWords(storedForIt)}</span>],
          ['Ratio of checkpoints', <span class="big">{ratioInWords(rawBytes, storedBytes)}</span>],
          ['Which is of', `${bytesInWords(rawBytes)} as uploaded, ${bytesInWords(storedBytes)} as stored`],
          ['In the store, all in all', bytesInWords(stored)],
          ['Received', bytesInWords(usage.received)],
          ['Sent', bytesInWords(usage.sent)],
        ]}
      />
      <Table
        caption="What lies in the store"
        columns={[{ title: 'What for' }, { title: 'Stored', isNumber: true }, { title: 'Share', isNumber: true }]}
        rows={storedParts.map((part) => [
          partWords[part],
          bytesInWords(usage.stored[part]),
          stored === 0 ? '–' : `${((100 * usage.stored[part]) / stored).toFixed(1)} %`,
        ])}
      />
    </>
  );
}

function Namespaces({ namespaces }: { readonly namespaces: readonly NamespaceUsage[] }) {
  const number = (title: string) => ({ title, isNumber: true });
  return (
    <Table
      caption="Usage by namespace"
      columns={[
        { title: 'Namespace' },
        number('Uploaded'),
        number('Packages'),
        number('Kept uploads'),
        number('Waiting'),
        number('Eval sets'),
        number('Other files'),
        number('Goes later'),
        number('Stored'),
        number('Quota'),
        number('Received'),
        number('Sent'),
      ]}
      rows={namespaces.map(({ namespace, quota, ...usage }) => [
        <a href={`${pagePaths.home}?search=${encodeURIComponent(`${namespace}/`)}`}>{namespace}</a>,
        bytesInWords(usage.logical),
        bytesInWords(usage.stored.package),
        bytesInWords(usage.stored.raw),
        bytesInWords(usage.stored.staged),
        bytesInWords(usage.stored.evalSet),
        bytesInWords(usage.stored.hub),
        bytesInWords(usage.stored.hidden + usage.stored.pendingDeletion),
        bytesInWords(storedOf(usage)),
        quota === undefined ? 'none' : bytesInWords(quota.storedBytesMax),
        bytesInWords(usage.received),
        bytesInWords(usage.sent),
      ])}
    />
  );
}

function storedOf({ stored }: Usage): number {
  return storedParts.reduce((sum, part) => sum + stored[part], 0);
}
