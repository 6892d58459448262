import { findStep, formatTarget, pullCheckpoint } from '../../../clients/typescript/src/index.ts';
import { progressInWords } from '../terminal/amounts.ts';
import { printTable } from '../terminal/print-table.ts';
import { openSession, runTarget, type HubOptions } from './session.ts';

export interface PullCommand extends HubOptions {
  readonly file?: string[];
  readonly dtype?: 'f32' | 'f16' | 'bf16';
  readonly uploaded?: boolean;
}

/** `firn pull NAMESPACE/NAME/RUN[@STEP] [FOLDER]`: pulls the files of a checkpoint, verified. */
export async function pull(text: string, folder: string | undefined, options: PullCommand): Promise<void> {
  const { hub, terminal } = openSession(options);
  const target = await findStep(hub, runTarget(text));
  const to = folder ?? `${target.name}-${target.run}-${target.step}`;
  const begun = Date.now();
  const files = await pullCheckpoint(hub, target, {
    to,
    ...(options.file !== undefined && { only: options.file }),
    dtype: options.dtype,
    asUploaded: options.uploaded ?? false,
    onProgress: (bytes, total) =>
      terminal.progress(progressInWords(formatTarget(target), bytes, total, Date.now() - begun)),
  });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify({ step: target.step, files }));
  // Beside the table, which a pipe reads.
  terminal.remark(formatTarget(target));
  printTable(
    terminal,
    ['file', 'bytes', 'sha256', 'verified'],
    files.map((file) => [
      file.to,
      { bytes: file.sizeBytes },
      file.sha256,
      file.isVerified ? 'yes' : 'no digest to compare with',
    ]),
  );
}
