import { wrapMarkdown } from '../../scripts/wrap/wrap-markdown.ts';
import type { Exchange } from './recording-proxy.ts';
import { routePattern } from './route-pattern.ts';

/** A client, as the table names it, and what it asked. */
export interface Column {
  readonly client: string;
  readonly exchanges: readonly Exchange[];
}

const start = '<!-- routes -->';
const end = '<!-- end of routes -->';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Which client used which route, as Markdown: clients by letter, then a table with a row for each route. `✓` where the
 * hub fulfilled at least one request, `–` where it answered all of them with an error. Pure.
 */
export function routeTable(columns: readonly Column[]): string {
  const letterOf = (at: number): string => letters[at]!;
  const cells = columns.map(({ exchanges }) => {
    const answered = new Map<string, boolean>();
    for (const { method, path, status } of exchanges) {
      const route = routePattern(method, path);
      answered.set(route, (answered.get(route) ?? false) || status < 400);
    }
    return answered;
  });
  const byPath = (route: string): string => route.slice(route.indexOf(' ')) + route;
  const routes = [...new Set(cells.flatMap((cell) => [...cell.keys()]))].sort((a, b) =>
    byPath(a) < byPath(b) ? -1 : 1,
  );
  const row = (route: string): string => {
    const marks = cells.map((cell) => (cell.has(route) ? (cell.get(route) === true ? '✓' : '–') : ' '));
    return `| \`${route}\` | ${marks.join(' | ')} |`;
  };
  return [
    ...columns.map(({ client }, at) => `- ${letterOf(at)}: ${client}`),
    '',
    `| Route | ${columns.map((_, at) => letterOf(at)).join(' | ')} |`,
    `| --- |${' --- |'.repeat(columns.length)}`,
    ...routes.map(row),
  ].join('\n');
}

/** The page with the table between its markers, wrapped like all documents. Rejects if the markers are missing. */
export function withRouteTable(page: string, columns: readonly Column[]): Promise<string> {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) return Promise.reject(new Error(`the page has no "${start}" and "${end}"`));
  return wrapMarkdown(`${page.slice(0, from + start.length)}\n\n${routeTable(columns)}\n\n${page.slice(to)}`);
}
