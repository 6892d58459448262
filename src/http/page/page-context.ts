import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import type { Locator } from '../request/locate.ts';
import type { Viewer } from './viewer.ts';
import type { Sessions } from './session/sessions.ts';
import type { Scope } from '../../checkpoint/grant.ts';

/** What a view has to make its page. */
export interface PageContext {
  readonly c: Context<AppEnv>;
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  readonly viewer: Viewer;
  /** Finds records as the routes do, with the same checks. */
  readonly locate: (scope: Scope) => Locator;
  /** The hub's address as the browser knows it, for snippets. */
  readonly origin: string;
  /** Fields of a form that was sent, of this hub's own page. Absent for GET. */
  readonly form?: ReadonlyMap<string, string>;
}

/** Makes one page. Throws FirnError, as handlers of routes do. */
export type View = (ctx: PageContext) => Promise<PageAnswer>;

/** What a view makes: the content of a page, or another page to go to. */
export type PageAnswer =
  | {
      readonly title: string;
      readonly content: Child;
      readonly status?: 200 | 201 | 400 | 401;
      readonly isSecret?: true;
    }
  | { readonly goTo: string };
