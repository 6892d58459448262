/** Commands to copy, with what they do. */
export function Snippet({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <figure class="snippet">
      <figcaption>{title}</figcaption>
      <pre tabindex={0} aria-label={title}>
        <code>{lines.join('\n')}</code>
      </pre>
    </figure>
  );
}
