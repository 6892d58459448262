/**
 * Firn for programs: open a hub, push a checkpoint, wait for it, pull it back. `Hub.api` has every operation of
 * openapi/firn.json besides.
 */
export { openHub, type Hub, type HubOptions } from './open-hub.ts';
export { FirnProblem } from './firn-problem.ts';
export { Unreachable } from './unreachable.ts';
export { isLoopback, mayCarryToken } from './token-rule.ts';
export { formatTarget, parseTarget, type Target } from './target.ts';
export { findCheckpoints, type LocalCheckpoint, type LocalFile } from './push/find-checkpoints.ts';
export { fileDigest } from './push/file-digest.ts';
export {
  findCheckpoint,
  pushCheckpoint,
  type CheckpointTarget,
  type Pushed,
  type PushOptions,
} from './push/push-checkpoint.ts';
export { followCheckpoint, type CheckpointEvent } from './follow/follow-checkpoint.ts';
export { waitForCheckpoint } from './follow/wait-for-checkpoint.ts';
export { pullCheckpoint, type PulledCheckpointFile, type PullOptions } from './pull/pull-checkpoint.ts';
export { pullFile, type PulledFile } from './pull/pull-file.ts';
export { readRange } from './pull/fetch-range.ts';
export { filePath } from './resource-path.ts';
export { withRetries } from './retry.ts';
export { allPages } from './list/all-pages.ts';
export { findStep } from './list/find-step.ts';
export { uploadEvalSet, type NewEvalSet } from './eval-set/upload-eval-set.ts';
export { listCheckpoints, listEvalSets, listRepositories, listRuns, type RepositoryFilter } from './list/lists.ts';
export type { components, paths } from './firn-api.ts';
