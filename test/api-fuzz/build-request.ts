import { createHash } from 'node:crypto';
import { breakJson } from './break-json.ts';
import type { FuzzWorld } from './fuzz-world.ts';
import type { PlannedRequest, PlannedValue, Spoiling } from './planned-request.ts';
import { smallContents } from './small-contents.ts';

/** A request as it is sent. */
export interface BuiltRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Whether method and path still lead to the operation. */
  readonly isRouted: boolean;
}

/** Makes a planned request one of this world. Deterministic. */
export function buildRequest(plan: PlannedRequest, world: FuzzWorld): BuiltRequest {
  const { placed, spoilings } = plan;
  const path = pathOf(plan, world);
  const query = new URLSearchParams(queryOf(plan, world)).toString();
  const method = spoilings.find((one) => one.kind === 'method')?.method ?? placed.method;
  const body = bodyOf(plan, world);
  const isRouted = method === placed.method && path.isRouted && new URL(path.text, 'http://a').pathname === path.text;
  return {
    method,
    path: query === '' ? path.text : `${path.text}?${query}`,
    headers: headersOf(plan, world, body),
    ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
    isRouted,
  };
}

function textOf(value: PlannedValue, name: string, world: FuzzWorld): string | undefined {
  if ('known' in value) return world.known(name, value.known);
  return value.made === undefined ? undefined : world.placed(String(value.made));
}

function kindOf<K extends Spoiling['kind']>(plan: PlannedRequest, kind: K): Extract<Spoiling, { kind: K }>[] {
  return plan.spoilings.filter((one): one is Extract<Spoiling, { kind: K }> => one.kind === kind);
}

/** Spoiled values are sent as they are; others are escaped, and then lead to the operation unless they are empty. */
function pathOf(plan: PlannedRequest, world: FuzzWorld): { text: string; isRouted: boolean } {
  const names = [...plan.placed.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const spoiled = new Map(kindOf(plan, 'path').map(({ name, value }) => [names[name % names.length], value]));
  let isRouted = true;
  const text = plan.placed.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const odd = spoiled.get(name);
    if (odd !== undefined) {
      isRouted = false;
      return odd.replaceAll(/[^ -~]| /g, encodeURIComponent);
    }
    const value = textOf(plan.values[name] ?? { known: 0 }, name, world) ?? 'unheard-of';
    if (value === '' || /^\.{1,2}$/.test(value)) isRouted = false;
    return encodeURIComponent(Buffer.from(value).toString());
  });
  return { text, isRouted };
}

function queryOf(plan: PlannedRequest, world: FuzzWorld): [string, string][] {
  const documented = plan.placed.parameters
    .filter((one) => one.in === 'query' && one.name in plan.values)
    .map(({ name }) => [name, textOf(plan.values[name]!, name, world)] as const)
    .filter((pair): pair is [string, string] => pair[1] !== undefined);
  const spoiled = kindOf(plan, 'query').map(({ name, value }) => [name, value] as [string, string]);
  return [...documented, ...spoiled];
}

function headersOf(plan: PlannedRequest, world: FuzzWorld, body: Buffer | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, in: place } of plan.placed.parameters) {
    const value = plan.values[name];
    if (place !== 'header' || value === undefined) continue;
    const likely = likelyHeader(name, plan, world);
    const text = 'known' in value ? likely[value.known % likely.length]! : String(value.made);
    headers[name] = sendable(text);
  }
  const token = world.tokens[plan.token];
  if (token !== undefined) headers['authorization'] = token;
  if (plan.mediaType !== undefined) headers['content-type'] = plan.mediaType;
  const extra = kindOf(plan, 'length')[0]?.extra ?? 0;
  if (body !== undefined) headers['content-length'] = String(Math.max(0, body.length + extra));
  for (const { name, value } of kindOf(plan, 'header')) headers[name] = sendable(value);
  const media = kindOf(plan, 'media')[0];
  if (media !== undefined) headers['content-type'] = media.type;
  return headers;
}

/** Field values that a client would send with this body, and some that it would not. */
function likelyHeader(name: string, plan: PlannedRequest, world: FuzzWorld): readonly string[] {
  const { bytes, sha256 } = smallContents[plan.content]!;
  const digest = Buffer.from(sha256, 'hex').toString('base64');
  const etag = world.known('etag', plan.content) ?? '"none"';
  const values: Readonly<Record<string, readonly string[]>> = {
    'repr-digest': [`sha-256=:${digest}:`, 'sha-256=:AAAA:', 'md5=:AAAA:'],
    'content-digest': [`sha-256=:${digest}:`],
    'tus-resumable': ['1.0.0', '1.0.0', '1.0.0', '0.2.2'],
    'upload-length': [String(bytes.length), String(bytes.length), String(bytes.length + 5)],
    'upload-offset': ['0', '0', String(bytes.length), '3'],
    'upload-metadata': [
      `filename ${Buffer.from('model.safetensors').toString('base64')}`,
      `path ${Buffer.from('config.json').toString('base64')},role b3RoZXI=`,
      `part ${Buffer.from('graph').toString('base64')}`,
    ],
    'upload-checksum': [`sha1 ${createHash('sha1').update(bytes).digest('base64')}`, `sha256 ${digest}`, 'md5 AAAA'],
    'idempotency-key': [`${world.namespace}-1`, `${world.namespace}-2`],
    'last-event-id': ['1', '99'],
    range: ['bytes=0-9', 'bytes=-5', 'bytes=3-', 'bytes=999999-'],
    'if-range': [etag, '"other"'],
    'if-match': [etag, '*', '"other"'],
    'if-none-match': [etag, '*', '"other"'],
  };
  return values[name] ?? ['1'];
}

function bodyOf(plan: PlannedRequest, world: FuzzWorld): Buffer | undefined {
  if (plan.mediaType === undefined) return undefined;
  if (plan.mediaType !== 'application/json') return smallContents[plan.content]!.bytes;
  const broken = kindOf(plan, 'json')[0]?.broken;
  const text = broken === undefined ? JSON.stringify(plan.json) : breakJson(plan.json, broken);
  return Buffer.from(world.placed(text));
}

/** What a client of HTTP lets out in a field. */
function sendable(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\xa1-\xff]/g, '?');
}
