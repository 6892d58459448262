import { FirnProblem, parseTarget, type components } from '../../../../clients/typescript/src/index.ts';
import { allPages, pageLimit } from '../../../../clients/typescript/src/list/all-pages.ts';
import { bytesCell, printTable, type Cell } from '../../terminal/print-table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openSession, repositoryTarget, type HubOptions, type Session } from '../session.ts';

type Usage = components['schemas']['Usage'];
type NamespaceUsage = components['schemas']['NamespaceUsage'];

/** What each part of the stored bytes is, in the order in which it is printed. */
const parts: Readonly<Record<keyof Usage['stored'], string>> = {
  packageBytes: 'packages',
  rawBytes: 'uploads that are kept',
  hubBytes: 'other files of repositories',
  stagedBytes: 'uploads that wait to be compressed',
  evalSetBytes: 'eval sets',
  hiddenBytes: 'deleted, but others build on it',
  pendingDeletionBytes: 'goes after the grace',
};

/** `firn usage [NAMESPACE | NAMESPACE/NAME]`. */
export async function usage(what: string | undefined, options: HubOptions): Promise<void> {
  const repository = what?.includes('/') === true ? repositoryTarget(what) : undefined;
  if (what !== undefined && repository === undefined) parseTarget(`${what}/name`);
  const session = openSession(options);
  if (repository !== undefined) {
    const { data } = await session.hub.api.GET('/v1/repositories/{namespace}/{name}/usage', {
      params: { path: repository },
    });
    printParts(session.terminal, data!);
  } else {
    const namespaces = await listUsage(session);
    if (what === undefined) printNamespaces(session.terminal, namespaces);
    else printOne(session.terminal, namespaces, what);
  }
  session.hub.close();
}

function listUsage({ hub }: Session): Promise<NamespaceUsage[]> {
  return allPages(
    async (after) =>
      (
        await hub.api.GET('/v1/usage', {
          params: { query: { limit: pageLimit, ...(after !== undefined && { after }) } },
        })
      ).data!,
  );
}

function printOne(terminal: Terminal, namespaces: readonly NamespaceUsage[], name: string): void {
  const found = namespaces.find(({ namespace }) => namespace === name);
  if (found === undefined) {
    const detail = `There is no namespace ${name}, or you may not see what it takes.`;
    throw new FirnProblem(404, { code: 'not-found', detail });
  }
  printParts(terminal, found);
}

function printNamespaces(terminal: Terminal, namespaces: readonly NamespaceUsage[]): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(namespaces));
  printTable(
    terminal,
    ['namespace', 'logical', 'stored', 'packages', 'ratio of checkpoints', 'quota'],
    namespaces.map(({ namespace, logicalBytes, storedBytes, stored, compressed, quota }) => [
      namespace,
      bytesCell(logicalBytes),
      bytesCell(storedBytes),
      bytesCell(stored.packageBytes),
      ratioInWords(compressed),
      bytesCell(quota?.storedBytesMax),
    ]),
  );
}

function printParts(terminal: Terminal, found: Usage): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(found));
  printTable(terminal, ['what', 'bytes'], usageRows(found));
}

/**
 * One row for each part, so that the sum can be followed; then what the ratio is of, and the ratio. What checkpoints
 * take is packages, and those of the kept uploads that are stored as they are.
 */
export function usageRows({ logicalBytes, storedBytes, stored, compressed, transferred }: Usage): Cell[][] {
  return [
    ['pushed, as uploaded', { bytes: logicalBytes }],
    ...(Object.keys(parts) as (keyof typeof parts)[]).map((key): Cell[] => [parts[key], { bytes: stored[key] }]),
    ['stored, all of these', { bytes: storedBytes }],
    ['ready checkpoints, as uploaded', { bytes: compressed.rawBytes }],
    ['ready checkpoints, as stored', { bytes: compressed.storedBytes }],
    ['ratio of checkpoints', ratioInWords(compressed)],
    ['received', { bytes: transferred.receivedBytes }],
    ['sent', { bytes: transferred.sentBytes }],
  ];
}

/** How many times smaller checkpoints are than what was pushed, files that are stored as they are included. */
function ratioInWords({ ratio }: Usage['compressed']): string | undefined {
  return ratio === undefined ? undefined : `${ratio.toFixed(2)}x`;
}
