import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { trainingEnvironment } from './find-python.ts';

/** A message of the training at a checkpoint. */
export interface TrainingCheckpoint {
  readonly branch: string;
  readonly step: number;
  readonly file: string;
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether the requested state has been written. */
  readonly state: boolean;
}

/** Files to train on from. Optimizer state goes on as it is if neither of its fields is there. */
export interface TrainingStart {
  readonly load: string;
  /** Optimizer state written before. */
  readonly loadState?: string;
  /** Begins without any optimizer state. */
  readonly freshState?: true;
}

/** A copy of the training process that continues from other weights, with all other state unchanged. */
export interface TrainingFork extends TrainingStart {
  readonly branch: string;
  /** Folder for its checkpoints; it exists. */
  readonly directory: string;
}

/** The continuation of training after a checkpoint; an empty decision changes nothing. */
export interface TrainingDecision extends Partial<TrainingStart> {
  readonly fork?: readonly TrainingFork[];
  readonly stop?: true;
  /** Writes the optimizers' state to this file; then the same checkpoint is reported again. */
  readonly saveState?: string;
}

export interface TrainingDirector {
  /** Called before the first step of the trunk, which is the process itself, and of every branch. */
  begin(branch: string): Promise<void>;
  decide(checkpoint: TrainingCheckpoint): Promise<TrainingDecision>;
}

export interface TrainingPlan {
  readonly pythonPath: string;
  readonly script: string;
  /** The first is the script's output directory. */
  readonly arguments: readonly string[];
  /** Added to every seed that the script sets. */
  readonly seedShift: number;
  /** Folder for the socket; its path must stay under 100 bytes. */
  readonly directory: string;
}

export const trunk = 'trunk';

const messageSchema = z.object({
  branch: z.string(),
  step: z.number().optional(),
  file: z.string().default(''),
  state: z.boolean().default(false),
  metrics: z.record(z.string(), z.number()).default({}),
});

const follower = fileURLToPath(new URL('follow_training.py', import.meta.url));

/**
 * Runs a training script under follow_training.py until it and all its branches have ended; its output goes to our
 * stderr. Rejects with an Error if it fails, or with the director's rejection, after all its processes are killed.
 */
export async function runTraining(plan: TrainingPlan, director: TrainingDirector): Promise<void> {
  const socketPath = join(plan.directory, 'training.sock');
  const sockets = new Set<Socket>();
  const server = createServer();
  const refused = new Promise<never>((_, reject) => {
    server.on('connection', (socket) => {
      sockets.add(socket);
      // A killed process may leave an answer unread; its exit is the only error to report.
      socket.on('error', () => undefined);
      converse(socket, director).catch(reject);
    });
  });
  refused.catch(() => undefined);
  server.listen(socketPath);
  await once(server, 'listening');
  // A process group of its own, so that ending it ends the branches too.
  const child = spawn(plan.pythonPath, [follower, socketPath, String(plan.seedShift), plan.script, ...plan.arguments], {
    detached: true,
    stdio: ['ignore', 2, 'inherit'],
    env: { ...process.env, ...trainingEnvironment },
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    if (code !== 0) throw new Error(`training ended with ${code === null ? String(signal) : `code ${code}`}`);
  });
  ended.catch(() => undefined);
  const kill = (): void => killGroup(child.pid);
  process.once('exit', kill);
  try {
    await Promise.race([ended, refused]);
  } finally {
    kill();
    process.off('exit', kill);
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

/** Answers one process line by line until it ends. */
async function converse(socket: Socket, director: TrainingDirector): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    const { step, ...message } = messageSchema.parse(JSON.parse(line));
    if (step === undefined) await director.begin(message.branch);
    const decision = step === undefined ? {} : await director.decide({ step, ...message });
    socket.write(`${JSON.stringify(decision)}\n`);
  }
}

/** No error if the group has ended already. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
