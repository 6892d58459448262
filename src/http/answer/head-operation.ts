import type { RouteConfig } from '@hono/zod-openapi';

/**
 * The HEAD operation of a GET route, for the document only: the framework answers HEAD with the handler of GET and
 * sends no bytes. It has the responses of GET but no ranges, and no content with 200.
 */
export function headOperation(
  route: RouteConfig,
  { operationId, summary, description }: { operationId: string; summary: string; description: string },
): RouteConfig {
  const { 200: whole, 206: _range, ...others } = route.responses;
  const { content: _content, ...bare } = whole as { description: string; content?: object };
  return {
    ...route,
    method: 'head',
    operationId,
    summary,
    description,
    responses: { 200: { ...bare, description: 'As GET, without the bytes.' }, ...others },
  };
}
