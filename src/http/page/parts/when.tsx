/** A time in UTC, to the minute; the exact one for programs. */
export function When({ at }: { readonly at: Date | undefined }) {
  if (at === undefined) return <>–</>;
  const text = at.toISOString();
  return <time datetime={text}>{text.slice(0, 16).replace('T', ' ')}</time>;
}
