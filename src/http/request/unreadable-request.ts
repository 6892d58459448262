import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { problemOf } from '../answer/render-problem.ts';

/** Sentences for the error codes of Node's parser. */
const sentences: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The headers of the request did not arrive in time.',
};
const otherSentence = 'The connection carries bytes that are no HTTP request, or ended inside of one.';

export interface UnreadableRequests {
  /**
   * Whether a request was followed on its connection by bytes that are no request: most likely its body is longer than
   * announced.
   */
  hasSurplus(request: IncomingMessage): boolean;
}

/**
 * Answers bytes that are no HTTP request with a problem document (Node answers a bare 400) and closes the connection.
 * If a complete request came before them, it still gets its own answer, because a refusal would be misleading. If the
 * answer to an incomplete request has begun, the connection is cut: a second status line would be taken for the
 * answer's body.
 */
export function refuseUnreadableRequests(server: Server): UnreadableRequests {
  const newest = new WeakMap<Duplex, { readonly req: IncomingMessage; readonly res: ServerResponse }>();
  const withSurplus = new WeakSet<IncomingMessage>();
  server.on('request', (req, res) => newest.set(req.socket, { req, res }));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const { req, res } = newest.get(socket) ?? {};
    const answerDue = res !== undefined && !res.writableFinished;
    if (answerDue && req?.complete === true && socket.writable) {
      withSurplus.add(req);
      res.shouldKeepAlive = false;
    } else if (error.code === 'ECONNRESET' || !socket.writable || (answerDue && res.headersSent)) {
      socket.destroy();
    } else {
      socket.end(unreadable(error));
    }
  });
  return { hasSurplus: (request) => withSurplus.has(request) };
}

function unreadable(error: NodeJS.ErrnoException): string {
  const requestId = randomUUID();
  const { status, headers, body } = problemOf(
    new FirnError('invalid-request', sentences[error.code ?? ''] ?? otherSentence),
    requestId,
  );
  const fields = {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    'X-Request-Id': requestId,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
