import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../access/principal.ts';

/** What the server hands to the app with every request. Absent when the app is called without one (`app.request`). */
export interface ServerBindings extends HttpBindings {
  /** Fires when the server starts to drain: endless answers end then. */
  readonly stopping: AbortSignal;
  /** Whether bytes that are no request have followed this one on its connection. */
  readonly hasSurplus: () => boolean;
}

/** The Hono environment of every route. */
export interface AppEnv {
  Bindings: Partial<ServerBindings>;
  Variables: {
    /** Accepted from X-Request-Id or made here; in every answer and log line. */
    requestId: string;
    /** Of the trace it is part of; undefined where it is not traced. */
    traceId: string | undefined;
    /** Whose request it is. */
    principal: Principal;
    /** Of the repository that the request was let to, if any. */
    repositoryId?: string;
    /** Whether the answer holds what nobody is to keep: the text of a token. */
    isSecret?: boolean;
    /** What a write made or changed, for its line in the log. */
    written?: Readonly<Record<string, unknown>>;
  };
}

/** The part of a structured logger the HTTP room uses; pino fits. */
export interface HttpLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
