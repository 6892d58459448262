import { createHmac, randomBytes } from 'node:crypto';

/** Bytes of a new key, and of the shortest and longest that is taken: the Standard Webhooks specification's. */
const newKeyBytes = 32;
const keyBytesMin = 24;
const keyBytesMax = 64;
const prefix = 'whsec_';
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A key for signatures, as text: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return prefix + randomBytes(newKeyBytes).toString('base64');
}

/** Whether this is `whsec_` and 24 to 64 bytes in base64. */
export function isSecretText(text: string): boolean {
  const encoded = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !base64.test(encoded)) return false;
  const key = Buffer.from(encoded, 'base64');
  const isCanonical = key.toString('base64') === encoded;
  return isCanonical && key.length >= keyBytesMin && key.length <= keyBytesMax;
}

/**
 * Header fields that let a receiver check a message: `webhook-id`, the same in every attempt, `webhook-timestamp` in
 * seconds, and `webhook-signature`, `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. The Standard Webhooks
 * specification, "Signature scheme".
 */
export function signedHeaders(
  message: { readonly id: string; readonly body: string },
  secret: string,
  atMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${message.id}.${timestamp}.${message.body}`)
    .digest('base64');
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
