import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Top-level folders and files that documents name. */
const roots = /^(src|native|test|bench|scripts|docs|examples|k8s|clients|migrations|openapi|bin|\.ci)\//;

/**
 * Paths of the repository in a document's code, unexpanded, with {a,b} and *. Text after a space or a colon is not part
 * of a path.
 */
export function namedPaths(document: string): string[] {
  const prose = document.replace(/^( *)(```|~~~)[\s\S]*?^\1\2.*$/gm, '');
  const code = [...prose.matchAll(/`([^`]+)`/g)].flatMap(([, text]) => text!.split(/\s+/));
  return [
    ...new Set(
      code
        .filter((word) => roots.test(word) && !/[<>…]|\.\.\./.test(word))
        .map((word) => word.replace(/[,;:.)]+$/, '')),
    ),
  ];
}

/** Targets of a document's links within the repository, without the fragment. */
export function linkedPaths(document: string): { readonly path: string; readonly anchor: string | undefined }[] {
  return [...document.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ path: target.split('#')[0]!, anchor: target.split('#')[1] }));
}

/** Anchors that GitHub derives from the headings of a document. */
export function anchorsOf(document: string): string[] {
  const headings = [...document.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)];
  return headings.map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** Whether a named path exists below `root`: every choice of {a,b}, and at least one match of * and **. */
export function isThere(root: string, named: string): boolean {
  const choice = /\{([^{}]*)\}/.exec(named);
  if (choice !== null) return choice[1]!.split(',').every((each) => isThere(root, named.replace(choice[0], each)));
  if (!named.includes('*')) return existsSync(join(root, named));
  const fixed = named.slice(0, named.indexOf('*')).replace(/[^/]*$/, '');
  if (!existsSync(join(root, fixed))) return false;
  const pattern = new RegExp(
    `^${named
      .split('**/')
      .map((part) => part.split('*').map(escaped).join('[^/]*'))
      .join('(?:.*/)?')}$`,
  );
  return readdirSync(join(root, fixed), { recursive: true }).some((name) => pattern.test(`${fixed}${String(name)}`));
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
