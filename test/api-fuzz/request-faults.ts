import type { Parameter } from '../api-changes/openapi-types.ts';
import type { ApiRules } from './answer-rules.ts';
import type { BuiltRequest } from './build-request.ts';
import type { PlannedRequest } from './planned-request.ts';

/** Why the document does not accept a request, in words; none if it does. Media types and lengths are not looked at. */
export function requestFaults({ placed }: PlannedRequest, request: BuiltRequest, rules: ApiRules): string[] {
  const faults: string[] = [];
  const { pathname, searchParams } = new URL(request.path, 'http://a');
  const segments = new RegExp(`^${placed.path.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`).exec(pathname)?.groups ?? {};
  const known = placed.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  if (placed.path.startsWith('/v1/'))
    for (const name of new Set(searchParams.keys()))
      if (!known.includes(name)) faults.push(`there is no query parameter ${name}`);
  for (const parameter of placed.parameters) {
    const values =
      parameter.in === 'query'
        ? searchParams.getAll(parameter.name)
        : parameter.in === 'path'
          ? [decodeURIComponent(segments[parameter.name] ?? '')]
          : [];
    if (parameter.in === 'query' && parameter.required === true && values.length === 0)
      faults.push(`${parameter.name} is missing`);
    if (!values.every((value) => acceptsText(rules, parameter, value)))
      faults.push(`${parameter.name} may not be ${JSON.stringify(values)}`);
  }
  const body = placed.operation.requestBody;
  const schema = body?.content['application/json']?.schema;
  if (schema === undefined || request.body === undefined || !isJson(request)) return faults;
  const value = parsed(request.body.toString());
  if (value === undefined) return body!.required === true ? [...faults, 'the body is not JSON'] : faults;
  return rules.accepts(schema, value.json) ? faults : [...faults, 'its body is not what the document says'];
}

function isJson({ headers }: BuiltRequest): boolean {
  return (headers['content-type'] ?? '').startsWith('application/json');
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    // The hub drops this key wherever it stands, whatever it holds: its validator's rule against polluted prototypes.
    return { json: JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value)) as unknown };
  } catch {
    return undefined;
  }
}

/** A parameter is text on its way, whatever its type. */
function acceptsText(rules: ApiRules, { schema = {} }: Parameter, text: string): boolean {
  const meanings: unknown[] = [text];
  if (/^-?\d+(\.\d+)?$/.test(text)) meanings.push(Number(text));
  if (text === 'true' || text === 'false') meanings.push(text === 'true');
  return meanings.some((value) => rules.accepts(schema, value));
}
