import { onServer } from './create-database.ts';

/** Server processes that stand still, as those do whose machine is gone while its connections stay open here. */
export interface StoppedBackends {
  readonly count: number;
  /** Lets them go on. No error when some have ended. */
  resume(): void;
}

/**
 * Stops the processes of a local server that serve the connections to a database, by what their last statement begins
 * with.
 */
export async function stopBackends(url: string, lastStatement = ''): Promise<StoppedBackends> {
  const rows = await onServer(
    url,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like '${lastStatement}%'`,
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
