import type { Context } from 'hono';
import { timingSafeEqual } from 'node:crypto';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import { gatherBody, type BodyLimits } from '../../request/body/gather-body.ts';
import type { Viewer } from '../viewer.ts';
import { formTokenField } from '../parts/form-token.tsx';

/** Largest form, in bytes: names and a token. */
const formBytesMax = 16 * 1024;
const formType = 'application/x-www-form-urlencoded';

/** Whether a request sends a form as browsers do. */
export function isForm(c: Context<AppEnv>): boolean {
  return c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() === formType;
}

/**
 * The fields of a form that a page of this hub sent for this viewer; of a repeated field the last. `forbidden` for a
 * form from elsewhere, `payload-too-large`, and the errors of `gatherBody`.
 */
export async function readForm(
  c: Context<AppEnv>,
  { bodies, viewer }: { readonly bodies: BodyLimits; readonly viewer: Viewer },
): Promise<ReadonlyMap<string, string>> {
  if (!isFromHere(c)) throw foreign();
  const tooLarge = `A form may have at most ${formBytesMax} bytes.`;
  const { bytes, release } = await gatherBody(c, bodies, { bytesMax: formBytesMax, tooLarge });
  release();
  const fields = new Map(new URLSearchParams(bytes.toString('utf8')));
  const [given, right] = [fields.get(formTokenField) ?? '', viewer.formToken].map((text) => Buffer.from(text));
  if (given!.length !== right!.length || !timingSafeEqual(given!, right!)) throw foreign();
  return fields;
}

/** Browsers say where a form comes from; one that says nothing has to have the form's token all the same. */
function isFromHere(c: Context<AppEnv>): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = c.req.header('origin');
  return origin === undefined || hostOf(origin) === (c.req.header('host') ?? new URL(c.req.url).host);
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

function foreign(): FirnError {
  return new FirnError(
    'forbidden',
    'This form is not from a page of this hub that is still valid. Load the page again.',
  );
}
