import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { readSafetensorsLayout } from '../../store/reads/read-safetensors-layout.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { LaidOutFile } from '../run/run-layout.ts';

/** The headers of the staged files of one role, already checked on arrival. Rejects with the store's errors. */
export async function readLayouts(
  { store, headerLimits }: Pick<IngestContext, 'store' | 'headerLimits'>,
  files: readonly Pick<CheckpointFile, 'path' | 'role' | 'rawKey'>[],
  role: FileRole,
): Promise<LaidOutFile[]> {
  const laidOut: LaidOutFile[] = [];
  for (const { path, rawKey } of files.filter((file) => file.role === role)) {
    const reader = await store.open(rawKey!);
    try {
      laidOut.push({ path, layout: await readSafetensorsLayout(reader, headerLimits) });
    } finally {
      await reader.close();
    }
  }
  return laidOut;
}
