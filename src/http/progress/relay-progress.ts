import type { Notices } from '../../catalog/notices/notices.ts';
import type { ProgressBus, ProgressNote } from './progress-bus.ts';

/** Channel of the notes about checkpoints. */
const channel = 'progress';

/**
 * A bus whose notes reach followers in every process. Notes that cannot be sent are dropped; followers also poll the
 * catalog.
 */
export function relayProgress(bus: ProgressBus, notices: Notices): ProgressBus {
  notices.subscribe(channel, (body) => {
    const said = noteIn(body);
    if (said !== undefined) bus.publish(said.checkpointId, said.note);
  });
  return {
    publish: (checkpointId, note) => notices.publish(channel, JSON.stringify({ checkpointId, note })),
    subscribe: (checkpointId, listener) => bus.subscribe(checkpointId, listener),
    listenerCount: () => bus.listenerCount(),
  };
}

/** Undefined for a body that this version does not know. */
function noteIn(body: string): { readonly checkpointId: string; readonly note: ProgressNote } | undefined {
  try {
    const said = JSON.parse(body) as {
      readonly checkpointId?: unknown;
      readonly note?: { readonly type?: unknown; readonly phase?: unknown };
    } | null;
    const { checkpointId, note } = said ?? {};
    const known = note?.type === 'changed' || (note?.type === 'phase' && typeof note.phase === 'string');
    return typeof checkpointId === 'string' && known ? { checkpointId, note: note as ProgressNote } : undefined;
  } catch {
    return undefined;
  }
}
