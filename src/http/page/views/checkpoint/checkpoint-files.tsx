import type { CheckpointFile } from '../../../../catalog/contract/file-records.ts';
import { bytesInWords } from '../../../../checkpoint/words/bytes-in-words.ts';
import { resourcePaths } from '../../../answer/resource-paths.ts';
import { Table } from '../../parts/table.tsx';

/** Most files that are listed; a sharded model has hundreds. */
const listedMax = 500;
const storageWords = {
  package: 'in the package',
  raw: 'as uploaded',
  reference: 'as a file that was there already',
} as const;

/** The files of a checkpoint. They have links where a browser may load them, which sends no token. */
export function CheckpointFiles({
  files,
  address,
  isReady,
  hasLinks,
}: {
  readonly files: readonly CheckpointFile[];
  readonly address: { readonly namespace: string; readonly name: string; readonly run: string; readonly step: number };
  readonly isReady: boolean;
  readonly hasLinks: boolean;
}) {
  return (
    <>
      <h2>Files</h2>
      {files.length > listedMax && (
        <p class="dim">
          The first {listedMax} of {files.length}.
        </p>
      )}
      <Table
        caption="Files"
        columns={[
          { title: 'Path' },
          { title: 'Role' },
          { title: 'Kept' },
          { title: 'Uploaded', isNumber: true },
          { title: 'Download', isNumber: true },
          { title: 'sha256 of the download' },
        ]}
        rows={files
          .slice(0, listedMax)
          .map(({ path, role, storage, sizeBytes, resultBytes, resultSha256 }) => [
            hasLinks && storage !== undefined ? <a href={resourcePaths.file(address, path)}>{path}</a> : path,
            role,
            storage === undefined ? (isReady ? 'not kept' : 'not yet') : storageWords[storage],
            sizeBytes === undefined ? '–' : bytesInWords(sizeBytes),
            resultBytes === undefined ? '–' : bytesInWords(resultBytes),
            <span class="hash">{resultSha256?.slice(0, 16) ?? '–'}</span>,
          ])}
      />
    </>
  );
}
