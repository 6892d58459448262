import type { Child } from 'hono/jsx';

export interface Column {
  readonly title: string;
  /** Right-aligned, with figures of equal width. */
  readonly isNumber?: boolean;
  /** Its heading is a link that orders the rows by it. */
  readonly order?: ColumnOrder | undefined;
}

/** How to order rows by a column. */
export interface ColumnOrder {
  readonly href: string;
  /** The order that the link leads to, in words. */
  readonly title: string;
  /** Absent if the rows are not in the order of this column. */
  readonly direction?: 'ascending' | 'descending';
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
            {columns.map(({ title, order }, at) => (
              <th scope="col" class={classOf(at)} aria-sort={order?.direction}>
                {order === undefined ? (
                  title
                ) : (
                  <a href={order.href} title={order.title}>
                    {title}
                  </a>
                )}
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
