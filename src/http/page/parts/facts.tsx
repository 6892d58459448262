import type { Child } from 'hono/jsx';

/** Terms and what holds for them; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [term: string, value: Child | undefined])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([term, value]) => (
          <div>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
