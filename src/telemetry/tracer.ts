/** Attributes of a span; undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A running piece of work. */
export interface Span {
  /** Adds attributes. */
  set(attributes: Attributes): void;
  /** In the form of W3C Trace Context, to continue the trace elsewhere; undefined without tracing. */
  readonly traceparent: string | undefined;
}

export interface SpanOptions {
  readonly attributes?: Attributes;
  /** `server`: work requested over the network; `consumer`: work taken from a queue. */
  readonly kind?: 'internal' | 'server' | 'consumer';
  /** Not worth a trace of its own: outside any span, it is counted and not traced. */
  readonly onlyInside?: boolean;
  /** Traceparent of a parent from outside; an invalid one is ignored. */
  readonly parent?: string | undefined;
  /** Traceparent of the cause of this work, which becomes a trace of its own. */
  readonly link?: string | undefined;
}

/**
 * Reports the beginning and end of work. Metrics count it, and if a collector is configured it is a span of a trace. A
 * span begun inside another one's work is its child. Neither a name nor an attribute that becomes a label may contain
 * text chosen by users.
 */
export interface Tracer {
  /** Runs `work` and returns its result; a rejection passes on and marks the span as failed. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** The traceparent of the caller's span. */
  current(): string | undefined;
}

const noSpan: Span = { set: () => undefined, traceparent: undefined };

/** Runs the work and nothing else. */
export const noTracer: Tracer = { span: (_name, _options, work) => work(noSpan), current: () => undefined };
