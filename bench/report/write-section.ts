import { readFile, writeFile } from 'node:fs/promises';
import { wrapMarkdown } from '../scripts/wrap-markdown.ts';
import { replaceSection } from './document-section.ts';

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
