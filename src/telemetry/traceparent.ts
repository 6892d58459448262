import type { SpanContext } from '@opentelemetry/api';

/**
 * Version, trace id, parent id, flags, and more fields in later versions (W3C Trace Context, section 3.2). Ids of zeros
 * alone are invalid.
 */
const pattern = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const flagSampled = 1;

/** Undefined for anything that is not a traceparent. It comes from clients, and an invalid one is treated as absent. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] = pattern.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags!, 16) & flagSampled, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
