import type { OpenApi, Operation, Parameter, Schema } from '../../test/api-changes/openapi-types.ts';
import { resolve } from '../../test/api-changes/resolve-schema.ts';
import { docstring, type PythonClasses } from './python-types.ts';

/** Names that mean something else in a method. */
const taken = new Set(['self', 'body', 'from', 'in', 'is', 'as', 'class']);

interface Argument extends Parameter {
  readonly argument: string;
}

/** A method of the class of operations for each operation of the document. */
export function pythonMethods(document: OpenApi, classes: PythonClasses): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      methodText({ document, classes, path, method: method.toUpperCase(), operation }),
    ),
  );
}

interface Placed {
  readonly document: OpenApi;
  readonly classes: PythonClasses;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation & { readonly summary?: string; readonly description?: string };
}

function methodText(placed: Placed): string {
  const { document, path, method, operation } = placed;
  const parameters = (operation.parameters ?? []).map((one): Argument => {
    const parameter = resolve(document, one);
    return { ...parameter, argument: argumentOf(parameter.name) };
  });
  const name = snake(operation.operationId!);
  const of = (place: string): Argument[] => parameters.filter((one) => one.in === place);
  const returned = returnedBy(placed);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, found: string) => `{segment(${argumentOf(found)})}`);
  const dictionary = (place: string): string =>
    `{${of(place)
      .map(({ name: field, argument }) => `"${field}": ${argument}`)
      .join(', ')}}`;
  const sent = [
    `"${method}"`,
    `f"${filled}"`,
    ...(of('query').length > 0 ? [`query=${dictionary('query')}`] : []),
    ...(of('header').length > 0
      ? [
          `headers={${of('header')
            .map(({ name: field, argument }) => `"${field}": ${argument}`)
            .join(', ')}}`,
        ]
      : []),
    ...(operation.requestBody === undefined ? [] : [`body=body, media_types=(${mediaTypes(operation)})`]),
  ].join(', ');
  const documented = [operation.summary, operation.description].filter((text) => text !== undefined).join('. ');
  return [
    `    def ${name}(${signature(placed, parameters)}) -> ${returned}:`,
    `        ${docstring(documented)}`,
    returned === 'None'
      ? `        self._send(${sent})`
      : returned === 'httpx.Response'
        ? `        return self._send(${sent})`
        : `        return cast(${returned}, self._send(${sent}).json())`,
  ].join('\n');
}

function signature(placed: Placed, parameters: readonly Argument[]): string {
  const { classes, operation } = placed;
  const typed = ({ argument, schema = {} }: Argument): string => {
    const hint = capital(operation.operationId!) + capital(argument.replaceAll('_', ''));
    return `${argument}: ${classes.typeOf(schema, hint)}`;
  };
  const path = parameters.filter((one) => one.in === 'path').map(typed);
  const rest = parameters.filter((one) => one.in !== 'path');
  const required = rest.filter((one) => one.required === true).map(typed);
  const optional = rest
    .filter((one) => one.required !== true)
    .map((one) => `${one.argument}: Optional[${classes.typeOf(one.schema ?? {}, 'Unnamed')}] = None`);
  const body = operation.requestBody === undefined ? [] : [bodyArgument(placed)];
  const keywords = [...required, ...body, ...optional];
  return ['self', ...path, ...(keywords.length > 0 ? ['*', ...keywords] : [])].join(', ');
}

function bodyArgument({ classes, operation }: Placed): string {
  const types = Object.entries(operation.requestBody!.content).map(([media, { schema = {} }]) =>
    media === 'application/json' ? classes.typeOf(schema, `${capital(operation.operationId!)}Body`) : 'Bytes',
  );
  const type = types.length === 1 ? types[0]! : `Union[${types.join(', ')}]`;
  return operation.requestBody!.required === true ? `body: ${type}` : `body: Optional[${type}] = None`;
}

function mediaTypes(operation: Operation): string {
  return Object.keys(operation.requestBody!.content)
    .map((media) => `"${media}",`)
    .join(' ');
}

/** JSON as its type; other bodies, and headers alone, as the response, which the caller closes. */
function returnedBy({ classes, method, operation }: Placed): string {
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.map(([, { content = {} }]) => content);
  if (method === 'HEAD') return 'httpx.Response';
  if (contents.every((content) => Object.keys(content).length === 0))
    return successes.some(([, { headers }]) => headers !== undefined) ? 'httpx.Response' : 'None';
  const json = contents.flatMap((content) => content['application/json']?.schema ?? []) as Schema[];
  return json.length === 0 ? 'httpx.Response' : classes.typeOf(json[0]!, `${capital(operation.operationId!)}Answer`);
}

function argumentOf(name: string): string {
  const argument = snake(name.replaceAll('-', '_'));
  return taken.has(argument) ? `${argument}_` : argument;
}

function snake(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
