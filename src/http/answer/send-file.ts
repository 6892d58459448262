import type { Context } from 'hono';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv, HttpLog } from '../app-env.ts';
import type { OpenedFile } from '../../restore/downloads.ts';
import { planResponse, type PlannedBytes } from './plan-response.ts';
import { renderProblem } from './render-problem.ts';
import { streamResponse } from './stream-response.ts';

export interface SendableFile {
  /** Strong, quotes included. */
  readonly etag: string;
  readonly sizeBytes: number;
  /** Whether the whole file is the answer to any range, which RFC 9110 section 14.2 allows. */
  readonly ignoresRange?: boolean;
  /** Added to ETag, Accept-Ranges, Content-Length and Content-Range. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called only if bytes are sent. */
  readonly open: () => Promise<OpenedFile>;
  /** Called for a HEAD of a file with bytes in the place of `open`; rejects if the bytes are known to be gone. */
  readonly check?: () => Promise<void>;
  /** Writes an error; a problem document by default. */
  readonly renderError?: typeof renderProblem;
}

/**
 * A step can be deleted and uploaded again, so caches must revalidate. `nosniff` prevents browsers from treating
 * uploaded bytes as a page.
 */
const sharedHeaders = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };

/** Answers a GET or HEAD for a file: conditions, one range, and the bytes under back-pressure. HEAD opens nothing. */
export async function sendFile(c: Context<AppEnv>, file: SendableFile, log: HttpLog): Promise<Response> {
  const plan = planResponse(
    {
      method: c.req.method,
      ifMatch: c.req.header('if-match'),
      ifNoneMatch: c.req.header('if-none-match'),
      range: file.ignoresRange === true ? undefined : c.req.header('range'),
      ifRange: c.req.header('if-range'),
    },
    file,
  );
  const headers = { ETag: file.etag, 'Accept-Ranges': 'bytes', ...sharedHeaders, ...file.headers };
  if (!('startBytes' in plan)) return refuse(c, plan.status, file, headers);
  if (c.req.method !== 'HEAD') return sendBytes(c, plan, file, headers, log);
  if (file.sizeBytes > 0) await file.check?.();
  return c.body(null, 200, { ...headers, 'Content-Length': String(file.sizeBytes) });
}

function refuse(
  c: Context<AppEnv>,
  status: 304 | 412 | 416,
  file: SendableFile,
  headers: Record<string, string>,
): Response {
  if (status === 304) return c.body(null, 304, headers);
  const render = file.renderError ?? renderProblem;
  if (status === 412)
    return render(c, new FirnError('precondition-failed', 'The file has another ETag than If-Match asks for.'), {
      ETag: file.etag,
    });
  return render(c, new FirnError('range-not-satisfiable', `The file has ${file.sizeBytes} bytes.`), {
    'Content-Range': `bytes */${file.sizeBytes}`,
  });
}

async function sendBytes(
  c: Context<AppEnv>,
  plan: PlannedBytes,
  file: SendableFile,
  headers: Record<string, string>,
  log: HttpLog,
): Promise<Response> {
  const { status, startBytes, endBytes } = plan;
  const sizeBytes = endBytes - startBytes;
  const range =
    status === 206 ? { 'Content-Range': `bytes ${startBytes}-${endBytes - 1}/${file.sizeBytes}` } : undefined;
  if (sizeBytes === 0) return c.body(null, 200, { ...headers, 'Content-Length': '0' });
  const opened = await file.open();
  return streamResponse(c, {
    status,
    sizeBytes,
    log,
    headers: { ...headers, ...range },
    chunks: (signal) => opened.stream(startBytes, endBytes, signal),
    release: () => opened.close(),
  });
}
