import { Registry } from 'prom-client';
import { createApp } from './app.ts';
import type { Gateway } from './gateway.ts';
import { openApiDocument } from './openapi-document.ts';

/** The document in openapi/. Routes are registered but not called, so no gateway is needed. */
export function openApiText(): string {
  const gateway = { metrics: new Registry(), probes: {}, catalog: {}, admittance: {} } as unknown as Gateway;
  return `${JSON.stringify(openApiDocument(createApp(gateway)), null, 2)}\n`;
}
