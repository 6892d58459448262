import type { Context, MiddlewareHandler } from 'hono';
import { accepts } from 'hono/accepts';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { problemKinds } from '../answer/problem-status.ts';
import { publicSentence, toFirnError } from '../answer/render-problem.ts';
import type { BodyLimits } from '../request/body/gather-body.ts';
import { createLocate } from '../request/locate.ts';
import { sendAsset } from './assets/send-asset.ts';
import { Layout } from './layout.tsx';
import type { PageAnswer } from './page-context.ts';
import type { Viewer } from './viewer.ts';
import { pageHeaders } from './page-headers.ts';
import { isAmongPages, parsePagePath, type PageAddress } from './page-paths.ts';
import { isForm, readForm } from './session/read-form.ts';
import { createSessions, isSecure } from './session/sessions.ts';
import { FailureView } from './views/failure.tsx';
import { viewOf } from './views/all-views.ts';

/** What pages need besides the gateway. */
export interface PageParts {
  readonly gateway: Gateway;
  readonly bodies: BodyLimits;
  /** Answers a request as the API does; events of a checkpoint come from there. */
  readonly api: (request: Request, env: AppEnv['Bindings']) => Response | Promise<Response>;
}

/**
 * Pages for people: answers browsers, which accept HTML, at addresses of pages and at those that nothing is at, and
 * forms that pages send. All other requests go on to the API.
 */
export function pages({ gateway, bodies, api }: PageParts): MiddlewareHandler<AppEnv> {
  const sessions = createSessions(gateway);
  const locate = createLocate(gateway.catalog);
  const { trustProxy } = gateway.admittance;
  return async function answerPage(c, next) {
    const address = addressOf(c);
    if (address === undefined) return next();
    if (address.at === 'asset') return sendAsset(c, address.name);
    let viewer: Viewer | undefined;
    try {
      if (address.at === 'events') return await api(eventsRequest(c, address, await sessions.authorization(c)), c.env);
      viewer = await sessions.viewer(c);
      c.set('principal', viewer.principal);
      const form = c.req.method === 'POST' ? await readForm(c, { bodies, viewer }) : undefined;
      const answer = await viewOf(address)({
        c,
        gateway,
        sessions,
        viewer,
        locate: (scope) => locate(c, scope),
        origin: `${isSecure(c, trustProxy) ? 'https' : 'http'}://${c.req.header('host') ?? new URL(c.req.url).host}`,
        ...(form && { form }),
      });
      return send(c, viewer, answer);
    } catch (error) {
      return fail(c, gateway, viewer, error);
    }
  };
}

/** The page that a request is for; undefined if it is for the API. */
function addressOf(c: Context<AppEnv>): PageAddress | undefined {
  const address = parsePagePath(new URL(c.req.url).pathname);
  const { method, path } = c.req;
  const isRead = method === 'GET' || method === 'HEAD';
  if (address === undefined) return isRead && isAmongPages(path) && prefersPage(c) ? { at: 'nowhere' } : undefined;
  if (method === 'POST') return isForm(c) && address.at !== 'asset' && address.at !== 'events' ? address : undefined;
  if (!isRead) return undefined;
  const isOwn = address.at === 'asset' || path.startsWith('/-/');
  return isOwn || c.req.header('accept')?.includes('text/html') === true ? address : undefined;
}

/** Whether a client would rather have a page than a problem document: browsers would. */
function prefersPage(c: Context<AppEnv>): boolean {
  const supports = ['text/html', 'application/problem+json', 'application/json'];
  return accepts(c, { header: 'Accept', supports, default: 'application/problem+json' }) === 'text/html';
}

function eventsRequest(
  c: Context<AppEnv>,
  { namespace, name, run, step }: Extract<PageAddress, { at: 'checkpoint' | 'events' }>,
  authorization: string | undefined,
): Request {
  const url = new URL(`/v1/repositories/${namespace}/${name}/runs/${run}/checkpoints/${step}/events`, c.req.url);
  const last = c.req.header('last-event-id');
  return new Request(url, {
    headers: { ...(authorization && { authorization }), ...(last !== undefined && { 'last-event-id': last }) },
    signal: c.req.raw.signal,
  });
}

function send(c: Context<AppEnv>, viewer: Viewer, answer: PageAnswer): Response {
  if ('goTo' in answer) return c.body(null, 303, { ...pageHeaders, Location: answer.goTo });
  if (answer.isSecret === true) c.set('isSecret', true);
  return html(c, { viewer, title: answer.title, content: answer.content, status: answer.status ?? 200 });
}

function html(
  c: Context<AppEnv>,
  page: { viewer: Viewer | undefined; title: string; content: PageContent; status: number },
): Response {
  const { viewer, title, content, status } = page;
  const layout = (
    <Layout title={title} path={c.req.path} viewer={viewer}>
      {content}
    </Layout>
  );
  return c.body(`<!doctype html>${String(layout)}`, status as ContentfulStatusCode, {
    ...pageHeaders,
    'Content-Type': 'text/html; charset=utf-8',
  });
}

type PageContent = Extract<PageAnswer, { content: unknown }>['content'];

/** A failure as a page says it: with the sentence that the API has for it. */
function fail(c: Context<AppEnv>, { log }: Gateway, viewer: Viewer | undefined, error: unknown): Response {
  const known = toFirnError(error);
  const { status, title } = problemKinds[known.code];
  const { requestId } = c.var;
  if (status >= 500)
    log.error({ requestId, code: known.code, detail: known.detail, err: error }, 'a page could not be made');
  const content = <FailureView title={title} sentence={publicSentence(known)} requestId={requestId} viewer={viewer} />;
  return html(c, { viewer, title, content, status });
}
