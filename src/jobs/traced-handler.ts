import type { Tracer } from '../telemetry/tracer.ts';
import { abortWhy } from './job-aborted.ts';
import type { JobHandler } from './job-handler.ts';

/**
 * The handler with a span `job` for each run: a trace of its own, linked to the request that enqueued the job.
 */
export function tracedHandler(tracer: Tracer, handler: JobHandler): JobHandler {
  return {
    run: (job, ctx) => {
      const attributes = {
        'firn.job.kind': job.kind,
        'firn.job.id': job.id,
        'firn.job.subject': job.subjectId,
        'firn.job.try': job.fence,
      };
      return tracer.span('job', { kind: 'consumer', link: job.traceparent, attributes }, async (span) => {
        try {
          const outcome = await handler.run(job, ctx);
          span.set({ 'firn.job.outcome': outcome.kind });
          return outcome;
        } catch (error) {
          span.set({ 'firn.job.outcome': abortWhy(ctx.signal) ?? 'failed' });
          throw error;
        }
      });
    },
  };
}
