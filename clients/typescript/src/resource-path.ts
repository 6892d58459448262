import type { Target } from './target.ts';

/** Path of a checkpoint below the hub's origin, for requests that carry bytes. */
export function checkpointPath({ namespace, name, run, step }: Target): string {
  return `/v1/repositories/${namespace}/${name}/runs/${run}/checkpoints/${step}`;
}

/** Path of a file of a checkpoint; slashes stay. */
export function filePath(checkpoint: Target, path: string): string {
  return `${checkpointPath(checkpoint)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}
