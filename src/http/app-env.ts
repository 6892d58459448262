import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../access/principal.ts';

/**
 * Values that the server passes to the app with every request. Absent if the app is called without a server
 * (`app.request`).
 */
export interface ServerBindings extends HttpBindings {
  /** Fires when the server starts to drain: endless answers end then. */
  readonly stopping: AbortSignal;
  /** Whether bytes that are no request followed this request on its connection. */
  readonly hasSurplus: () => boolean;
}

/** The Hono environment of every route. */
export interface AppEnv {
  Bindings: Partial<ServerBindings>;
  Variables: {
    /** Taken from X-Request-Id or generated; in every answer and log line. */
    requestId: string;
    /** Id of its trace; undefined without tracing. */
    traceId: string | undefined;
    /** Whose request it is. */
    principal: Principal;
    /** The repository that the request was admitted to, if any. */
    repositoryId?: string;
    /** Whether the answer contains a token's text, which must not be stored. */
    isSecret?: boolean;
    /** Results of a write, for its log line. */
    written?: Readonly<Record<string, unknown>>;
  };
}

/** The part of a structured logger that the HTTP room uses; pino fits. */
export interface HttpLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
