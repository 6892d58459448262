import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Hub clients refuse a token that does not start so before they send it. */
const prefix = 'hf_';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The part that names the token in lists and log lines. 71 bits, so that two never meet. */
const idLength = 12;
/** The part that proves it: 190 bits, which nobody finds by trying, so one round of SHA-256 is enough to keep it by. */
const secretLength = 32;
const tokenPattern = new RegExp(`^${prefix}([A-Za-z0-9]{${idLength}})([A-Za-z0-9]{${secretLength}})$`);

/** A token as its owner has it, and what is kept of it. */
export interface NewTokenText {
  readonly text: string;
  readonly id: string;
  readonly secretSha256: string;
}

/** A fresh token from the system's random numbers. */
export function newTokenText(): NewTokenText {
  const [id, secret] = [randomText(idLength), randomText(secretLength)];
  return { text: `${prefix}${id}${secret}`, id, secretSha256: sha256(secret) };
}

/** The parts of a token; undefined where it cannot be one. */
export function parseTokenText(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = tokenPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether this is the secret of that digest. Takes as long for any two. */
export function isSecret(secret: string, secretSha256: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(secret), 'hex'), Buffer.from(secretSha256, 'hex'));
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
