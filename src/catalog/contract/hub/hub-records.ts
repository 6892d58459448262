import type { BlobRecords } from './blob-records.ts';
import type { HubCheckpointRecords } from './hub-checkpoint-records.ts';
import type { RevisionRecords } from './revision-records.ts';
import type { XorbRecords } from './xorb-records.ts';

/** What hub clients see of repositories. */
export interface HubRecords {
  readonly blobs: BlobRecords;
  readonly revisions: RevisionRecords;
  readonly checkpoints: HubCheckpointRecords;
  readonly xorbs: XorbRecords;
}
