import { readFile, writeFile } from 'node:fs/promises';
import { wrapMarkdown } from '../../scripts/wrap/wrap-markdown.ts';

/**
 * Writes a bench's results into its section of a document, wrapped like all documents. Rejects if the document cannot
 * be read or written, and as {@link replaceSection} throws.
 */
export async function writeSection(
  { path, section }: { readonly path: string; readonly section: string },
  body: string,
): Promise<void> {
  await writeFile(path, await wrapMarkdown(replaceSection(await readFile(path, 'utf8'), section, body)));
}

/**
 * Replaces a section of a Markdown document between `<!-- bench NAME -->` and `<!-- end NAME -->`. A missing section is
 * added at the end. Throws an Error for a start without an end.
 */
export function replaceSection(document: string, name: string, body: string): string {
  const [start, end] = [`<!-- bench ${name} -->`, `<!-- end ${name} -->`];
  const section = `${start}\n\n${body.trim()}\n\n${end}`;
  const from = document.indexOf(start);
  if (from < 0) return `${document.trimEnd()}\n\n${section}\n`;
  const to = document.indexOf(end, from);
  if (to < 0) throw new Error(`the document starts the section ${name} and never ends it`);
  return document.slice(0, from) + section + document.slice(to + end.length);
}
