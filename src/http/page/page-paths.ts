import { isName } from '../../checkpoint/names.ts';

/** A repository as addresses name it. */
export interface RepositoryAddress {
  readonly namespace: string;
  readonly name: string;
}
export interface RunAddress extends RepositoryAddress {
  readonly run: string;
}
export interface StepAddress extends RunAddress {
  readonly step: number | 'latest';
}

/** Pages that are not about one repository. */
const ownPages = ['sign-in', 'sign-out', 'usage', 'queue', 'tokens'] as const;
/** Files that pages load. */
const assetNames = ['style.css', 'live.js', 'icon.svg'] as const;
export type AssetName = (typeof assetNames)[number];

/** What the address of a page names; `nowhere` is a path that nothing is at. */
export type PageAddress =
  | { readonly at: 'home' | 'nowhere' | (typeof ownPages)[number] }
  | { readonly at: 'asset'; readonly name: AssetName }
  | ({ readonly at: 'repository' | 'compare' } & RepositoryAddress)
  | ({ readonly at: 'run' } & RunAddress)
  | ({ readonly at: 'checkpoint' | 'events' } & StepAddress);

/**
 * First segments that the API or hub clients use. A namespace may still have such a name: its pages are below `/-/at`.
 */
const takenSegments: ReadonlySet<string> = new Set([
  'api',
  'hub',
  'v1',
  'problems',
  'healthz',
  'readyz',
  'metrics',
  'openapi.json',
]);
/** Below it are pages of the hub itself: no namespace is called so. */
const own = '-';
/** Where browsers look for an icon when what they show names none: a problem document, for example. */
const iconPath = '/favicon.ico';
/** What hub clients print before the address of a repository that is no model. */
const hubTypes: ReadonlySet<string> = new Set(['datasets', 'spaces']);
const stepPattern = /^(?:latest|\d{1,15})$/;
/** Longest path that is read, in characters: four names of at most 96 and the words between them. */
const pathLengthMax = 512;

/** Reads the path of a page; undefined for any other. Names need no escapes, so none are read. Pure; never throws. */
export function parsePagePath(path: string): PageAddress | undefined {
  if (path === '/') return { at: 'home' };
  if (path === iconPath) return { at: 'asset', name: 'icon.svg' };
  if (path.length > pathLengthMax || !path.startsWith('/')) return undefined;
  const segments = path.replace(/\/$/, '').slice(1).split('/');
  const [first, second = '', ...rest] = segments;
  if (first !== own) return takenSegments.has(first!) ? undefined : ofRepository(segments);
  if (second === 'at') return ofRepository(rest);
  if (second === 'events') return ofEvents(rest);
  if (rest.length > 0) return undefined;
  const asset = assetNames.find((name) => name === second);
  if (asset !== undefined) return { at: 'asset', name: asset };
  const page = ownPages.find((name) => name === second);
  return page === undefined ? undefined : { at: page };
}

/** Whether a path is outside of the API, hub clients' addresses and operations. Pure; never throws. */
export function isAmongPages(path: string): boolean {
  return !takenSegments.has(path.split('/', 2)[1] ?? '');
}

function ofRepository(segments: readonly string[]): PageAddress | undefined {
  if (segments.length === 3 && hubTypes.has(segments[0]!) && !isWord(segments[2]!))
    return ofRepository(segments.slice(1));
  const [namespace = '', name = '', word, run, step, ...rest] = segments;
  if (!isName(namespace) || !isName(name) || rest.length > 0) return undefined;
  if (word === undefined) return { at: 'repository', namespace, name };
  if (word === 'compare' && run === undefined) return { at: 'compare', namespace, name };
  if (word !== 'runs' || run === undefined || !isName(run)) return undefined;
  if (step === undefined) return { at: 'run', namespace, name, run };
  return stepPattern.test(step) ? { at: 'checkpoint', namespace, name, run, step: stepOf(step) } : undefined;
}

function ofEvents(segments: readonly string[]): PageAddress | undefined {
  const [namespace = '', name = '', run = '', step = '', ...rest] = segments;
  if (![namespace, name, run].every(isName) || !stepPattern.test(step) || rest.length > 0) return undefined;
  return { at: 'events', namespace, name, run, step: stepOf(step) };
}

function isWord(segment: string): boolean {
  return segment === 'runs' || segment === 'compare';
}

function stepOf(text: string): number | 'latest' {
  return text === 'latest' ? text : Number(text);
}

/** Addresses of pages, as links have them. */
export const pagePaths = {
  home: '/',
  signIn: '/-/sign-in',
  signOut: '/-/sign-out',
  usage: '/-/usage',
  queue: '/-/queue',
  tokens: '/-/tokens',
  /** The page of tokens with these grants in its form. */
  newToken: (grants: string) => `/-/tokens?grants=${encodeURIComponent(grants)}`,
  asset: (name: AssetName, version: string) => `/-/${name}?v=${version}`,
  repository: ({ namespace, name }: RepositoryAddress) =>
    `${takenSegments.has(namespace) || hubTypes.has(namespace) ? `/${own}/at` : ''}/${namespace}/${name}`,
  compare: (address: RepositoryAddress) => `${pagePaths.repository(address)}/compare`,
  run: (address: RunAddress) => `${pagePaths.repository(address)}/runs/${address.run}`,
  checkpoint: (address: StepAddress) => `${pagePaths.run(address)}/${address.step}`,
  events: ({ namespace, name, run, step }: StepAddress) => `/${own}/events/${namespace}/${name}/${run}/${step}`,
} as const;
