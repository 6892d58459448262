import { apiSummary, type OpenApiDocument } from './openapi-document.ts';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'code{font-size:.9em}td{padding:.15rem .75rem .15rem 0;vertical-align:top}h2{margin-top:2rem}';

/** An HTML page that lists the API's operations, without external resources. */
export function indexPage(document: OpenApiDocument): string {
  const sections = (document.tags ?? []).map(({ name, description }) => section(document, name, description ?? ''));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Firn</title>
<style>${style}</style></head><body>
<h1>Firn</h1><p>${escapeHtml(apiSummary)} The whole API is in <a href="/openapi.json">openapi.json</a>;
<a href="/readyz">readiness</a>, <a href="/metrics">metrics</a>.</p>
${sections.join('\n')}
</body></html>
`;
}

function section(document: OpenApiDocument, tag: string, description: string): string {
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined || operation.tags?.includes(tag) !== true) return [];
      const call = `<td><code>${method.toUpperCase()}</code></td><td><code>${escapeHtml(path)}</code></td>`;
      return [`<tr>${call}<td>${escapeHtml(operation.summary ?? '')}</td></tr>`];
    }),
  );
  return `<h2>${escapeHtml(tag)}</h2><p>${escapeHtml(description)}</p><table>${rows.join('')}</table>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
