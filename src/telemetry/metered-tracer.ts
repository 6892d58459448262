import type { Attributes, Tracer } from './tracer.ts';

/** A finished piece of work. */
export interface EndedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly seconds: number;
  /** Present if it failed, even if the thrown value is undefined. */
  readonly failure?: { readonly error: unknown };
}

/** The tracer, calling `onEnd` for every span that ends, traced or not. */
export function meteredTracer(tracer: Tracer, onEnd: (ended: EndedSpan) => void): Tracer {
  return {
    current: () => tracer.current(),
    span: (name, options, work) =>
      tracer.span(name, options, async (span) => {
        const attributes: Record<string, Attributes[string]> = { ...options.attributes };
        const startedMs = performance.now();
        const end = (failure?: { error: unknown }): void =>
          onEnd({ name, attributes, seconds: (performance.now() - startedMs) / 1000, ...(failure && { failure }) });
        const set = (more: Attributes): void => {
          Object.assign(attributes, more);
          span.set(more);
        };
        try {
          const result = await work({ set, traceparent: span.traceparent });
          end();
          return result;
        } catch (error) {
          end({ error });
          throw error;
        }
      }),
  };
}
