import type { Child } from 'hono/jsx';

export interface Column {
  readonly title: string;
  /** Right-aligned, with figures of equal width. */
  readonly isNumber?: boolean;
}

/** A table that scrolls sideways on narrow screens. The first cell of each row is its heading. */
export function Table({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Child[])[];
}) {
  const classOf = (at: number) => (columns[at]?.isNumber === true ? 'n' : undefined);
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title }, at) => (
              <th scope="col" class={classOf(at)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...others]) => (
            <tr>
              <th scope="row" class={classOf(0)}>
                {first}
              </th>
              {others.map((cell, at) => (
                <td class={classOf(at + 1)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
