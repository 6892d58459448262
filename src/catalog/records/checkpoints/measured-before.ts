import { and, desc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { MetricValues } from '../../../checkpoint/quality/quality.ts';
import type { Db } from '../../db/database.ts';
import { decodeJson } from '../../db/tables/json-column.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { checkpoints, runs } from '../../db/schema.ts';

export interface MeasuredBefore {
  readonly runId: string;
  readonly beforeSequence: number;
  readonly evalSetId: string;
  readonly limit: number;
}

/** See `CheckpointRecords.measuredBefore`. A checkpoint without thresholds was measured with its run's eval set. */
export async function measuredBefore(
  { query }: Db,
  { runId, beforeSequence, evalSetId, limit }: MeasuredBefore,
): Promise<{ readonly step: number; readonly baseline: MetricValues }[]> {
  const baseline = sql<unknown>`${checkpoints.result} -> 'baseline'`;
  const found = await query
    .select({ step: checkpoints.step, baseline })
    .from(checkpoints)
    .innerJoin(runs, eq(runs.id, checkpoints.runId))
    .where(
      and(
        eq(checkpoints.runId, runId),
        lt(checkpoints.sequence, beforeSequence),
        eq(checkpoints.state, 'ready'),
        isNull(checkpoints.deletedAt),
        sql`${baseline} is not null`,
        or(eq(checkpoints.evalSetId, evalSetId), and(isNull(checkpoints.thresholds), eq(runs.evalSetId, evalSetId))),
      ),
    )
    .orderBy(desc(checkpoints.sequence))
    .limit(pageLimit({ limit }));
  return found.map(({ step, baseline: stored }) => ({
    step,
    // Some drivers parse jsonb, others return its text.
    baseline: decodeJson(typeof stored === 'string' ? JSON.parse(stored) : stored) as MetricValues,
  }));
}
