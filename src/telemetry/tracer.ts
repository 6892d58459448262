/** What is known of a span; undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work while it is done. */
export interface Span {
  /** Adds to what is known of it. */
  set(attributes: Attributes): void;
  /** Of W3C Trace Context, for whoever goes on elsewhere; undefined where nothing is traced. */
  readonly traceparent: string | undefined;
}

export interface SpanOptions {
  readonly attributes?: Attributes;
  /** `server`: work that somebody asked for over the network; `consumer`: work taken from a queue. */
  readonly kind?: 'internal' | 'server' | 'consumer';
  /** Not worth a trace of its own: where no span is around it, it is counted and not traced. */
  readonly onlyInside?: boolean;
  /** A traceparent from outside that this is part of; ignored when it is not one. */
  readonly parent?: string | undefined;
  /** A traceparent of what led to this work, which then is a trace of its own. */
  readonly link?: string | undefined;
}

/**
 * The one way to say that a piece of work begins and ends: metrics count it, and where a collector is configured it is
 * a span of a trace. A span begun inside of another one's work is its child. Neither a name nor an attribute that
 * becomes a label may hold what users chose.
 */
export interface Tracer {
  /** Does `work` and passes on how it ends; a rejection marks the span as failed. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** The traceparent of the span that the caller is inside of. */
  current(): string | undefined;
}

const noSpan: Span = { set: () => undefined, traceparent: undefined };

/** Does the work and nothing else. */
export const noTracer: Tracer = { span: (_name, _options, work) => work(noSpan), current: () => undefined };
