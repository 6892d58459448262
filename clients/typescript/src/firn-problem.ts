/** What a problem document of the hub holds (RFC 9457). */
interface ProblemDocument {
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string;
}

interface Refusal extends ProblemDocument {
  readonly path?: string;
  readonly hadToken?: boolean;
}

/** Largest problem document that is read, in characters; the hub's are a few hundred. */
const problemLengthMax = 64 * 1024;

/**
 * A refusal by the hub. `code` stays the same across versions; `message` is the hub's sentence for people; `requestId`
 * names the request in the hub's log.
 */
export class FirnProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** Path and query of the request that the hub refused; absent if the client itself refuses. */
  readonly path: string | undefined;
  /** Whether the request carried a token; absent if the client itself refuses. */
  readonly hadToken: boolean | undefined;

  constructor(status: number, { code, detail, requestId, path, hadToken }: Refusal) {
    super(detail ?? `The server answered ${status}.`);
    this.name = 'FirnProblem';
    this.status = status;
    this.code = code ?? 'unknown';
    this.requestId = requestId;
    this.path = path;
    this.hadToken = hadToken;
  }
}

/** The problem that an answer outside 2xx carries. An answer of something else than a hub becomes one, too. */
export function problemOf(status: number, body: string, request: Pick<Refusal, 'path' | 'hadToken'> = {}): FirnProblem {
  return new FirnProblem(status, { ...readDocument(body), ...request });
}

function readDocument(body: string): ProblemDocument {
  if (body.length > problemLengthMax) return {};
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? stringsOf(parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function stringsOf({ code, detail, requestId }: Record<string, unknown>): ProblemDocument {
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}
