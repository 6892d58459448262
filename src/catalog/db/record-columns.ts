import { getTableColumns } from 'drizzle-orm';
import { checkpoints, runs } from './schema.ts';

const { touchedAt: _touchedAt, ...ofCheckpoint } = getTableColumns(checkpoints);
const { nextSequence: _nextSequence, layout: _layout, ...ofRun } = getTableColumns(runs);

/** Columns of a `Checkpoint`. */
export const checkpointColumns = ofCheckpoint;
/** Columns of a `Run`. */
export const runColumns = ofRun;
