import tseslint from 'typescript-eslint';

/** Columns of code, comments too. */
export const codeColumns = 120;

/** Comments for tools: each stays on its line. */
const directive = /^(eslint|@ts-|prettier-|c8 |v8 |istanbul |\/ *<|#|! *|vitest-)/;
/** The beginning of a new paragraph: an item of a list, or a tag of JSDoc. */
const item = /^([-*•]|\d+[.)]|@\w+)\s/;
/** Lines that are not wrapped: rows of tables, code, and indented lines. */
const asItIs = /^(\||\s{2,}|```|~~~)/;

interface Lines {
  /** From 0, both inclusive. */
  readonly first: number;
  readonly last: number;
}

/** A comment from the parser: lines from 1, columns from 0. */
interface ParsedComment {
  readonly type: string;
  readonly loc: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The parser's declared type leaves its options and its tree untyped. */
const parseComments = (source: string, jsx: boolean): { readonly comments: readonly ParsedComment[] } => {
  const parser = tseslint.parser as unknown as {
    parseForESLint(text: string, options: object): { readonly ast: { readonly comments: readonly ParsedComment[] } };
  };
  return parser.parseForESLint(source, { comment: true, loc: true, range: true, ecmaFeatures: { jsx } }).ast;
};

/**
 * A source whose comments have no line beyond {@link codeColumns}. Paragraphs of comments on lines of their own are
 * wrapped if one of their lines is too long, and left alone otherwise. Comments after code, directives, tables, code
 * samples and long words (addresses) stay as they are. `jsx` says that the
 * source has elements in it. Throws if the source does not parse.
 */
export function wrapComments(source: string, { jsx = false }: { readonly jsx?: boolean } = {}): string {
  const lines = source.split('\n');
  const { comments } = parseComments(source, jsx);
  const own = comments.filter(({ loc }) => {
    const isFirst = /^\s*$/.test(lines[loc.start.line - 1]!.slice(0, loc.start.column));
    return isFirst && /^\s*$/.test(lines[loc.end.line - 1]!.slice(loc.end.column));
  });
  const changes: { readonly at: Lines; readonly text: readonly string[] }[] = [];
  for (let i = 0; i < own.length; i++) {
    const { type, loc } = own[i]!;
    const first = loc.start.line - 1;
    const indent = ' '.repeat(loc.start.column);
    if (String(type) === 'Block') {
      const at = { first, last: loc.end.line - 1 };
      if (isTooLong(lines, at)) changes.push({ at, text: wrapBlock(lines.slice(at.first, at.last + 1), indent) });
      continue;
    }
    let last = first;
    // Consecutive lines are one text.
    for (
      let next = own[i + 1];
      next !== undefined && String(next.type) === 'Line' && follows(next.loc.start, last, loc.start.column);
      next = own[i + 1]
    ) {
      last += 1;
      i += 1;
    }
    const at = { first, last };
    if (isTooLong(lines, at)) changes.push({ at, text: wrapLines(lines.slice(first, last + 1), indent) });
  }
  for (const { at, text } of changes.reverse()) lines.splice(at.first, at.last - at.first + 1, ...text);
  return lines.join('\n');
}

function follows(start: { readonly line: number; readonly column: number }, last: number, column: number): boolean {
  return start.line - 1 === last + 1 && start.column === column;
}

function isTooLong(lines: readonly string[], { first, last }: Lines): boolean {
  return lines.slice(first, last + 1).some((line) => line.length > codeColumns);
}

function wrapLines(lines: readonly string[], indent: string): string[] {
  const text = lines.map((line) => line.slice(indent.length).replace(/^\/\/ ?/, ''));
  return wrapText(text, `${indent}// `).map((line) => line.trimEnd());
}

/** Wraps a block comment, unless its lines do not begin with stars. */
function wrapBlock(lines: readonly string[], indent: string): readonly string[] {
  const open = /^\s*(\/\*\*?)/.exec(lines[0]!)![1]!;
  const inside = lines.map((line, at) => {
    const ended = at === lines.length - 1 ? line.replace(/\s*\*\/\s*$/, '') : line;
    return at === 0 ? ended.slice(indent.length + open.length) : ended.replace(/^\s*\*? ?/, '');
  });
  const starred = lines.slice(1).every((line) => /^\s*\*/.test(line));
  if (!starred || directive.test(inside[0]!.trim())) return lines;
  const text = inside.map((line, at) => (at === 0 ? line.trim() : line.trimEnd()));
  if (text[0] === '') text.shift();
  if (text.at(-1) === '') text.pop();
  return [`${indent}${open}`, ...wrapText(text, `${indent} * `).map((line) => line.trimEnd()), `${indent} */`];
}

/** Wraps the paragraphs of a text that are too long after a prefix. */
function wrapText(text: readonly string[], prefix: string): string[] {
  const columns = codeColumns - prefix.length;
  const paragraphs: string[][] = [];
  const kept = new Set<readonly string[]>();
  let inCode = false;
  let joins = false;
  for (const line of text) {
    const fence = /^(```|~~~)/.test(line.trim());
    const stays = inCode || fence || line.trim() === '' || asItIs.test(line) || directive.test(line);
    const goesOn = joins && isGoingOn(line, paragraphs.at(-1)!);
    if (goesOn && !inCode && !fence) paragraphs.at(-1)!.push(line);
    else paragraphs.push([line]);
    if (stays && !goesOn) kept.add(paragraphs.at(-1)!);
    if (!goesOn || fence) joins = !stays;
    if (fence) inCode = !inCode;
  }
  return paragraphs
    .flatMap((lines) => {
      return kept.has(lines) || lines.every(({ length }) => length <= columns) ? lines : fill(lines.join(' '), columns);
    })
    .map((line) => prefix + line);
}

/** Whether a line continues the previous paragraph: an item continues on lines indented below its mark. */
function isGoingOn(line: string, [first = '']: readonly string[]): boolean {
  if (line.trim() === '' || item.test(line.trimStart()) || directive.test(line)) return false;
  return item.test(first) ? !/^(\||```|~~~)/.test(line) : !asItIs.test(line);
}

function fill(text: string, columns: number): string[] {
  const mark = item.exec(text)?.[0] ?? '';
  const hanging = mark.startsWith('@') ? '' : ' '.repeat(mark.length);
  // Code and links of JSDoc are one word each.
  const words = text.match(/(?:`[^`]*`|\{@[^}]*\}|\S)+/g) ?? [];
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = hanging + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
