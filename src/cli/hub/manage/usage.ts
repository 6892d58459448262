import { parseTarget, type components } from '../../../../clients/typescript/src/index.ts';
import { allPages, pageLimit } from '../../../../clients/typescript/src/list/all-pages.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openSession, repositoryTarget, type HubOptions, type Session } from '../session.ts';

type Usage = components['schemas']['Usage'];
type NamespaceUsage = components['schemas']['NamespaceUsage'];

/** What each part of the stored bytes is, in the order in which it is printed. */
const parts: readonly (readonly [key: keyof Usage['stored'], name: string])[] = [
  ['packageBytes', 'packages'],
  ['rawBytes', 'uploads that are kept'],
  ['stagedBytes', 'uploads that wait to be compressed'],
  ['evalSetBytes', 'eval sets'],
  ['hiddenBytes', 'deleted, but others build on it'],
  ['pendingDeletionBytes', 'goes after the grace'],
];

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
  if (found === undefined) throw new Error(`There is no namespace ${name}, or you may not see what it takes.`);
  printParts(terminal, found);
}

function printNamespaces(terminal: Terminal, namespaces: readonly NamespaceUsage[]): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(namespaces));
  printTable(
    terminal,
    ['namespace', 'logical', 'stored', 'packages', 'ratio of packages', 'quota'],
    namespaces.map(({ namespace, logicalBytes, storedBytes, stored, quota }) => [
      namespace,
      logicalBytes,
      storedBytes,
      stored.packageBytes,
      ratioInWords(logicalBytes, stored),
      quota?.storedBytesMax,
    ]),
  );
}

/** One line for each part, so that the sum can be followed. */
function printParts(terminal: Terminal, found: Usage): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(found));
  const amount = (bytes: number): string | number => (terminal.isPerson ? bytesInWords(bytes) : bytes);
  printTable(
    terminal,
    ['what', 'bytes'],
    [
      ['pushed, as uploaded', amount(found.logicalBytes)],
      ...parts.map(([key, name]): [string, string | number] => [name, amount(found.stored[key])]),
      ['stored, all of these', amount(found.storedBytes)],
      ['ratio of packages', ratioInWords(found.logicalBytes, found.stored)],
      ['received', amount(found.transferred.receivedBytes)],
      ['sent', amount(found.transferred.sentBytes)],
    ],
  );
}

/** How many times smaller packages are than what was pushed; a dash without a package. */
function ratioInWords(logicalBytes: number, { packageBytes }: Usage['stored']): string | undefined {
  return packageBytes === 0 ? undefined : `${(logicalBytes / packageBytes).toFixed(2)}x`;
}
