import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders and files at the root that documents name. */
const roots = /^(src|native|test|bench|scripts|docs|examples|k8s|migrations|openapi|bin|\.ci)\//;

/**
 * Paths of the repository that a document names in code, as they stand there: with {a,b} and *. What follows a space or
 * a colon is no part of one.
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

/** Targets of a document's links within the repository, without what is behind #. */
export function linkedPaths(document: string): { readonly path: string; readonly anchor: string | undefined }[] {
  return [...document.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ path: target.split('#')[0]!, anchor: target.split('#')[1] }));
}

/** Names of the headings of a document as GitHub makes addresses of them. */
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

/**
 * Whether what a document names is there, below `root`. Every choice of {a,b} has to be, and at least one match of *
 * and **.
 */
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
