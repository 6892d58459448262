import type { Attributes, Tracer } from './tracer.ts';

/** A piece of work that has ended. */
export interface EndedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly seconds: number;
  /** Present when it failed, also where what was thrown is undefined. */
  readonly failure?: { readonly error: unknown };
}

/** The tracer, telling `onEnd` of every span as it ends, traced or not. */
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
