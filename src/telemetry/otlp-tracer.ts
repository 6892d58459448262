import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span as OtelSpan,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { FirnError } from '../checkpoint/firn-error.ts';
import { noTracer, type Attributes, type Span, type SpanOptions, type Tracer } from './tracer.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

export interface TraceOptions {
  /** OTLP over HTTP; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  /**
   * Share of traces that are recorded, in [0, 1], decided by the trace id. A client's traceparent can exclude its
   * trace, but not force it to be recorded.
   */
  readonly traceRatio: number;
  readonly version: string;
  /** Unique to this start of the process. */
  readonly instanceId: string;
  /** Spans were lost; called at most once a minute. */
  readonly onTrouble: (trouble: { readonly lostSpans: number; readonly reason: string }) => void;
}

export interface RunningTraces {
  readonly tracer: Tracer;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

/**
 * Most spans waiting to be sent; further ones are dropped, so that an unreachable collector costs this much memory and
 * nothing else.
 */
const queueMax = 4096;
const batchMax = 512;
/** Pause between two batches, in ms. */
const pauseMs = 1_000;
/** Longest attempt to send a batch, in ms. */
const sendMs = 5_000;
/** Longest text of an attribute, in characters. */
const attributeLengthMax = 512;
const troubleEveryMs = 60_000;

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const;

/**
 * A tracer whose spans go to an OpenTelemetry collector in the background. No work waits for it or fails because of it.
 */
export function startTraces({ endpoint, traceRatio, version, instanceId, onTrouble }: TraceOptions): RunningTraces {
  const ratio = new TraceIdRatioBasedSampler(traceRatio);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: sendMs });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the name and attributes of this process.
    resource: resourceFromAttributes({
      'service.name': 'firn',
      'service.version': version,
      'service.instance.id': instanceId,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanLimits: { attributeValueLengthLimit: attributeLengthMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: tellingLosses(exporter, onTrouble),
        maxQueueSize: queueMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: pauseMs,
        exportTimeoutMillis: sendMs + pauseMs,
      }),
    ],
  });
  return { tracer: tracerOver(provider, version), close: () => provider.shutdown().catch(() => undefined) };
}

function tracerOver(provider: TracerProvider, version: string): Tracer {
  const active = new AsyncLocalStorage<Context>();
  const tracer = provider.getTracer('firn', version);
  const spanOf = (name: string, { kind = 'internal', attributes, parent, link }: SpanOptions): [OtelSpan, Context] => {
    const remote = parent === undefined ? undefined : parseTraceparent(parent);
    const linked = link === undefined ? undefined : parseTraceparent(link);
    const outer =
      remote === undefined ? (active.getStore() ?? ROOT_CONTEXT) : trace.setSpanContext(ROOT_CONTEXT, remote);
    const links: Link[] = linked === undefined ? [] : [{ context: linked }];
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes: { ...attributes }, links, root: kind === 'consumer' },
      outer,
    );
    return [span, trace.setSpan(outer, span)];
  };
  return {
    current() {
      const span = trace.getSpan(active.getStore() ?? ROOT_CONTEXT);
      return span && formatTraceparent(span.spanContext());
    },
    async span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
      if (options.onlyInside === true && active.getStore() === undefined) return noTracer.span(name, options, work);
      const [span, context] = spanOf(name, options);
      const set = (attributes: Attributes): void => void span.setAttributes({ ...attributes });
      try {
        return await active.run(context, () => work({ set, traceparent: formatTraceparent(span.spanContext()) }));
      } catch (error) {
        // Only the code and the public sentence: details may name things that a collector need not know.
        const known =
          error instanceof FirnError
            ? { 'error.type': error.code }
            : { 'error.type': error instanceof Error ? error.name : 'unknown' };
        span.setAttributes(known);
        span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof FirnError && { message: error.message }) });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** The exporter, reporting the number of spans that it could not send. */
function tellingLosses(exporter: SpanExporter, onTrouble: TraceOptions['onTrouble']): SpanExporter {
  let toldAtMs = -Infinity;
  let lostSpans = 0;
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) lostSpans += spans.length;
        if (result.error !== undefined && performance.now() - toldAtMs > troubleEveryMs) {
          toldAtMs = performance.now();
          onTrouble({ lostSpans, reason: result.error.message });
          lostSpans = 0;
        }
        onResult(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
