/** Cells of one row of a Markdown table, without the spaces around them; an escaped bar stays escaped. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replace(/ {2,}(?=\|)/g, ' ');
const widest = (rows: readonly (readonly string[])[]): number => Math.max(...rows.map((cells) => rowOf(cells).length));

interface Table {
  readonly heading: readonly string[];
  /** `---:` and the like, one for each column. */
  readonly rule: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Most tables with the columns that name its rows; if a table is cut into more, its rows get numbers. */
const namedPartsMax = 2;
/**
 * Longest cell, in characters, that counts as a figure and not a sentence. Figures can be read in a table of their own;
 * sentences belong together.
 */
const figureMax = 48;

/**
 * A Markdown table whose lines have at most `columns` characters. A table that fits stays as it is. The columns of a
 * wide table of figures go into several tables, each with the columns that name the rows. If those take too much room,
 * the rows get numbers, and a list explains them. If cells are sentences, the rows become a list, whose lines may be
 * longer: the caller wraps the document.
 */
export function narrowTable(text: string, columns: number): string {
  if (text.split('\n').every((line) => line.length <= columns)) return text;
  const [heading = [], rule = [], ...rows] = text.split('\n').map(cellsOf);
  const table = { heading, rule, rows };
  const keys = countKeys(table);
  if (rows.some((cells) => cells.slice(keys).some((cell) => cell.length > figureMax))) return listOf(table);
  const parts = groupColumns(table, keys, columns);
  if (parts !== undefined && parts.length <= namedPartsMax) return partsOf(table, parts);
  const numbered = {
    heading: ['row', ...heading.slice(keys)],
    rule: ['---:', ...rule.slice(keys)],
    rows: rows.map((cells, at) => [`${at + 1}`, ...cells.slice(keys)]),
  };
  const numberedParts = groupColumns(numbered, 1, columns);
  return numberedParts === undefined ? listOf(table) : `${namesOf(rows, keys)}\n\n${partsOf(numbered, numberedParts)}`;
}

/** Number of leading columns that identify a row; an empty first cell repeats the one above. At least one. */
function countKeys({ heading, rows }: Table): number {
  const names = filled(rows);
  for (let count = 1; count < heading.length; count += 1) {
    if (new Set(names.map((cells) => rowOf(cells.slice(0, count)))).size === rows.length) return count;
  }
  return 1;
}

/** Rows with empty first cells filled from the row above. */
function filled(rows: readonly (readonly string[])[]): string[][] {
  let first = '';
  return rows.map(([name = '', ...cells]) => [(first = name === '' ? first : name), ...cells]);
}

/**
 * Columns of each narrower table, in as few tables as possible; undefined if a column does not fit beside those that
 * name the rows.
 */
function groupColumns({ heading, rule, rows }: Table, keys: number, columns: number): number[][] | undefined {
  const all = [heading, rule, ...rows];
  const fits = (chosen: readonly number[]): boolean =>
    widest(all.map((cells) => chosen.map((i) => cells[i] ?? ''))) <= columns;
  const lead = Array.from({ length: keys }, (_, i) => i);
  const groups: number[][] = [];
  for (let column = keys; column < heading.length; column += 1) {
    const last = groups.at(-1);
    if (last !== undefined && fits([...last, column])) last.push(column);
    else if (fits([...lead, column])) groups.push([...lead, column]);
    else return undefined;
  }
  return groups.length === 0 ? undefined : groups;
}

function partsOf({ heading, rule, rows }: Table, parts: readonly (readonly number[])[]): string {
  const part = (chosen: readonly number[]): string =>
    [heading, rule, ...rows].map((cells) => rowOf(chosen.map((i) => cells[i] ?? ''))).join('\n');
  return parts.map(part).join('\n\n');
}

/** The list that explains the numbers of rows. */
function namesOf(rows: readonly (readonly string[])[], keys: number): string {
  return filled(rows)
    .map((cells, at) => `${at + 1}. ${cells.slice(0, keys).join(', ')}`)
    .join('\n')
    .replaceAll('\\|', '|');
}

function listOf({ heading, rows }: Table): string {
  const items = filled(rows).map(([name = '', ...cells]) => {
    const said = cells.map((cell, i) => [heading[i + 1] ?? '', cell] as const).filter(([, cell]) => cell !== '');
    if (heading.length === 2) return `- ${name}: ${said[0]?.[1] ?? ''}`;
    return [`- ${name}`, ...said.map(([title, cell]) => `  - ${title === '' ? '' : `${title}: `}${cell}`)].join('\n');
  });
  return items.join('\n').replaceAll('\\|', '|');
}
