import type { Catalog } from '../../../../catalog/contract/catalog.ts';
import type { Repository } from '../../../../catalog/contract/repository-records.ts';
import { bytesInWords } from '../../../../checkpoint/words/bytes-in-words.ts';
import { pagePaths, type RepositoryAddress } from '../../page-paths.ts';
import { Table } from '../../parts/table.tsx';

/** One package that a restore reads. */
export interface ChainLink {
  /** Where it is, unless a reader of this repository may not know it. */
  readonly at: { readonly run: string; readonly step: number; readonly isDeleted: boolean } | undefined;
  readonly kind: 'base' | 'delta';
  /** Unknown of another repository, too. */
  readonly storedBytes: number | undefined;
  readonly isMerged: boolean;
}

/** The chain of a package, the base first. */
export async function readChain(catalog: Catalog, repository: Repository, packageId: string): Promise<ChainLink[]> {
  const chain = await catalog.packages.chain(packageId);
  const links = chain.map(async ({ checkpointId, kind, storedBytes, mergedPackageId }): Promise<ChainLink> => {
    const checkpoint = await catalog.checkpoints.get(checkpointId);
    const run = checkpoint && (await catalog.runs.get(checkpoint.runId));
    const isOwn = run?.repositoryId === repository.id;
    const isDeleted = checkpoint?.deletedAt !== undefined || run?.deletedAt !== undefined;
    return {
      at: isOwn ? { run: run.name, step: checkpoint!.step, isDeleted } : undefined,
      kind,
      storedBytes: isOwn ? storedBytes : undefined,
      isMerged: mergedPackageId !== undefined,
    };
  });
  return (await Promise.all(links)).reverse();
}

/** What a restore of the checkpoint reads. */
export function CheckpointLineage({
  chain,
  address,
}: {
  readonly chain: readonly ChainLink[];
  readonly address: RepositoryAddress;
}) {
  return (
    <>
      <h2>Lineage</h2>
      <p class="dim">
        A restore reads {chain.length === 1 ? 'this package alone' : `these ${chain.length} packages, from the base on`}
        .
      </p>
      <Table
        caption="Packages that a restore reads"
        columns={[{ title: 'Checkpoint' }, { title: 'Kind' }, { title: 'Stored', isNumber: true }]}
        rows={chain.map(({ at, kind, storedBytes, isMerged }) => [
          <Name at={at} address={address} />,
          `${kind}${isMerged ? ', in a merged package' : ''}`,
          storedBytes === undefined ? '' : bytesInWords(storedBytes),
        ])}
      />
    </>
  );
}

function Name({ at, address }: { readonly at: ChainLink['at']; readonly address: RepositoryAddress }) {
  if (at === undefined) return <>a checkpoint of another repository</>;
  const words = `${at.run}@${at.step}`;
  if (at.isDeleted) return <>{words}, deleted; kept while others build on it</>;
  return <a href={pagePaths.checkpoint({ ...address, run: at.run, step: at.step })}>{words}</a>;
}
