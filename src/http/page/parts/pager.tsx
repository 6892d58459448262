/** Links to the first page of a list and to the next one. */
export function Pager({
  path,
  query,
  isFirst,
  next,
}: {
  readonly path: string;
  /** Fields that stay, such as a search. */
  readonly query?: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
}) {
  const to = (fields: Readonly<Record<string, string>>): string => {
    const text = new URLSearchParams(fields).toString();
    return text === '' ? path : `${path}?${text}`;
  };
  if (isFirst && next === undefined) return <></>;
  return (
    <nav class="pager" aria-label="Pages of this list">
      {!isFirst && <a href={to({ ...query })}>First page</a>}
      {next !== undefined && <a href={to({ ...query, after: next })}>Next page</a>}
    </nav>
  );
}
