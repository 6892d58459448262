import { onServer } from './create-database.ts';

/** Stopped server processes, like those of a lost machine whose connections stay open on this side. */
export interface StoppedBackends {
  readonly count: number;
  /** Continues the processes. No error if some have ended. */
  resume(): void;
}

/**
 * Stops the processes of a local server that serve connections to a database and whose last statement begins with
 * `lastStatement`.
 */
export async function stopBackends(url: string, lastStatement = ''): Promise<StoppedBackends> {
  const rows = await onServer(
    url,
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ' +
      `like '${lastStatement}%'`,
  );
  const pids = rows.map(({ pid }) => Number(pid));
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    count: pids.length,
    resume() {
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGCONT');
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
    },
  };
}
