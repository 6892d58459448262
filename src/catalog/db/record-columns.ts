import { getTableColumns } from 'drizzle-orm';
import { checkpoints, repositories, runs } from './schema.ts';

const {
  touchedAt: _touchedAt,
  rawBytes: _rawBytes,
  storedBytes: _storedBytes,
  ...ofCheckpoint
} = getTableColumns(checkpoints);
const { nextSequence: _nextSequence, layout: _layout, ...ofRun } = getTableColumns(runs);

const { deletedAt: _deletedAt, ...ofRepository } = getTableColumns(repositories);

/** Columns of a `Repository`. */
export const repositoryColumns = ofRepository;
/** Columns of a `Checkpoint`. */
export const checkpointColumns = ofCheckpoint;
/** Columns of a `Run`. */
export const runColumns = ofRun;
