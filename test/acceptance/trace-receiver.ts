import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP/HTTP with JSON, with plain values. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1 internal, 2 server, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface TraceReceiver {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** Number of requests, answered or not. */
  readonly requests: () => number;
  close(): Promise<void>;
}

interface OtlpValue {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
  };
}
interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly OtlpValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

/** A collector that stores spans, or one that accepts requests and never answers. */
export async function startTraceReceiver(does: 'take' | 'hang' = 'take'): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (does === 'hang') return;
      const isTraces = req.method === 'POST' && req.url === '/v1/traces';
      if (isTraces) spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody));
      res.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, spans, requests: () => requests, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function spansOf({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes = [], links = [], status }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        name,
        kind,
        attributes: plain(attributes),
        links,
        failed: status?.code === 2,
        resource: plain(resource.attributes),
      })),
    ),
  );
}

function plain(values: readonly OtlpValue[]): Record<string, unknown> {
  const valueOf = ({ stringValue, intValue, doubleValue, boolValue }: OtlpValue['value']): unknown =>
    stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
  return Object.fromEntries(values.map(({ key, value }) => [key, valueOf(value)]));
}
