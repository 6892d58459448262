import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import type { ColumnOrder } from './table.tsx';
import { readQuery } from './read-query.ts';

/** An order of the rows of a table. */
export interface RowOrder<Row, Listed extends string = string> {
  /** How the field `order` of the page's address names it. */
  readonly name: string;
  /** What follows the table's title, such as `newest first`. */
  readonly words: string;
  /** The column that it orders by, by its title. */
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
  /** How the catalog lists the rows, in pages. */
  readonly listed: Listed;
  /** What orders the rows of one page. Absent if the catalog lists them in this order, page after page. */
  readonly keyOf?: (row: Row) => number | undefined;
}

/** The order that the page's address asks for, the first by default. `invalid-request` if there is no such order. */
export function readOrder<Order extends { readonly name: string }>(
  c: Context<AppEnv>,
  orders: readonly Order[],
): Order {
  const name = readQuery(c, 'order') ?? orders[0]!.name;
  const order = orders.find((each) => each.name === name);
  if (order === undefined)
    throw new FirnError('invalid-request', `"order" is one of ${orders.map((each) => each.name).join(', ')}.`);
  return order;
}

/** The rows of one page in an order. Rows without a key come last, and equal ones as they are listed. Pure. */
export function orderRows<Row>(rows: readonly Row[], { keyOf, direction }: RowOrder<Row>): readonly Row[] {
  if (keyOf === undefined) return rows;
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((one, two) => {
    const [first, second] = [keyOf(one), keyOf(two)];
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
    return sign * (first - second);
  });
}

/** The words of an order; they say so if it orders the rows of one page of several. */
export function orderInWords({ words, keyOf }: RowOrder<never>, isWhole: boolean): string {
  return keyOf === undefined || isWhole ? words : `${words} among those of this page`;
}

/**
 * What the header of a column needs to order by it; undefined if no order does. Its link leads to the other direction
 * if the table is ordered by the column, and keeps the page's rows where the catalog lists both orders alike.
 */
export function columnOrder<Row>(
  column: string,
  { path, id, order, orders, after }: OrderedTable<Row>,
): ColumnOrder | undefined {
  const own = orders.filter((each) => each.column === column);
  const next = own.find((each) => each !== order) ?? own[0];
  if (next === undefined) return undefined;
  const query = new URLSearchParams({
    order: next.name,
    ...(after !== undefined && next.listed === order.listed && { after }),
  });
  return {
    href: `${path}?${query.toString()}#${id}`,
    title: next.keyOf === undefined ? next.words : `${next.words}, among the rows of this page alone`,
    ...(order.column === column && { direction: order.direction }),
  };
}

/** The field of the page's address that keeps an order; none for the first of all, which is the order by default. */
export function orderQuery(order: RowOrder<never>, orders: readonly RowOrder<never>[]): Record<string, string> {
  return order === orders[0] ? {} : { order: order.name };
}

/** A table whose rows have an order. */
export interface OrderedTable<Row> {
  /** Of its page. */
  readonly path: string;
  /** Of the table's heading: links lead there. */
  readonly id: string;
  readonly order: RowOrder<Row>;
  /** All orders; of those of a column, the first is the one that its header leads to. */
  readonly orders: readonly RowOrder<Row>[];
  /** Where the page of rows begins, if it is not the first. */
  readonly after: string | undefined;
}
