import type { Child } from 'hono/jsx';

/** A term and what holds for it; `wide` for sentences. */
export type Fact = readonly [term: string, value: Child | undefined, width?: 'wide'];

/** Terms and what holds for them; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([term, value, width]) => (
          <div class={width}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
