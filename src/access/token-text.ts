import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Hub clients refuse to send a token without this prefix. */
const prefix = 'hf_';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/**
 * Characters of the part that names the token in lists and log lines. 71 bits make collisions practically impossible.
 */
const idLength = 12;
/** Characters of the secret part: 190 bits, too many to guess, so one round of SHA-256 is enough to store it. */
const secretLength = 32;
const tokenPattern = new RegExp(`^${prefix}([A-Za-z0-9]{${idLength}})([A-Za-z0-9]{${secretLength}})$`);

/** A token's text, and the parts of it that are stored. */
export interface NewTokenText {
  readonly text: string;
  readonly id: string;
  readonly secretSha256: string;
}

/** A new token from the system's random numbers. */
export function newTokenText(): NewTokenText {
  const [id, secret] = [randomText(idLength), randomText(secretLength)];
  return { text: `${prefix}${id}${secret}`, id, secretSha256: sha256(secret) };
}

/** The parts of a token; undefined if the text cannot be one. */
export function parseTokenText(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = tokenPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether the digest is this secret's. Takes the same time for any two. */
export function isSecret(secret: string, secretSha256: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(secret), 'hex'), Buffer.from(secretSha256, 'hex'));
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
