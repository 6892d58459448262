import type { StepOrLatest } from '../../catalog/contract/location-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';

type RepositoryAddress = Pick<Repository, 'type' | 'namespace' | 'name'>;

/** A checkpoint by the names in its URL. */
export interface CheckpointAddress {
  readonly namespace: string;
  readonly name: string;
  readonly run: string;
  readonly step: number;
}
/** Of reads, which take `latest` too. */
type ReadAddress = Omit<CheckpointAddress, 'step'> & { readonly step: StepOrLatest };

/**
 * URL paths of resources, percent-encoded, without origin. The only place that builds them for Location headers and
 * links.
 */
export const resourcePaths = {
  repository: ({ namespace, name }: { namespace: string; name: string }) => `/v1/repositories/${namespace}/${name}`,
  evalSet: (repository: { namespace: string; name: string }, evalSet: string) =>
    `${resourcePaths.repository(repository)}/eval-sets/${evalSet}`,
  run: (address: { namespace: string; name: string; run: string }) =>
    `${resourcePaths.repository(address)}/runs/${address.run}`,
  checkpoint: (address: ReadAddress) => `${resourcePaths.run(address)}/checkpoints/${address.step}`,
  retry: (address: CheckpointAddress) => `${resourcePaths.checkpoint(address)}/retry`,
  estimate: (address: CheckpointAddress) => `${resourcePaths.checkpoint(address)}/estimate`,
  file: (address: ReadAddress, path: string) =>
    `${resourcePaths.checkpoint(address)}/files/${path.split('/').map(encodeURIComponent).join('/')}`,
  upload: (repository: { namespace: string; name: string }, uploadId: string) =>
    `${resourcePaths.repository(repository)}/uploads/${uploadId}`,
  /** A file at a revision, on the routes of hub clients. */
  revisionFile: ({ type, namespace, name }: RepositoryAddress, revision: string, path: string) =>
    `${type === 'model' ? '' : `/${type}s`}/${namespace}/${name}/resolve/${revision}/` +
    path.split('/').map(encodeURIComponent).join('/'),
  webhook: (webhookId: string) => `/v1/webhooks/${webhookId}`,
  package: (repository: { namespace: string; name: string }, packageId: string) =>
    `${resourcePaths.repository(repository)}/packages/${packageId}`,
} as const;
