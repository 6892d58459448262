import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** Longest sealed text that is read, in characters: a token and a time take under 200. */
const sealedLengthMax = 1024;

/** Seals texts that a browser keeps, and proves forms. Its keys come from one secret of the hub. */
export interface Seal {
  /** The text, encrypted and authenticated, in base64url. */
  seal(text: string): string;
  /** The text that `seal` was given; undefined for anything else. Never throws. */
  unseal(sealed: string): string | undefined;
  /** A code that only the holder of the secret can make for a text. */
  prove(text: string): string;
}

/** The seal of a secret; all gateways of a hub have the same. */
export function createSeal(secret: string): Seal {
  const keyFor = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `firn page ${purpose}`, 32));
  const [sessionKey, formKey] = [keyFor('session'), keyFor('form')];
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, sessionKey, iv);
      const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return Buffer.concat([iv, sealing.getAuthTag(), body]).toString('base64url');
    },
    unseal(sealed) {
      if (sealed.length > sealedLengthMax) return undefined;
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      try {
        const opening = createDecipheriv(cipher, sessionKey, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
        opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
    prove: (text) => createHmac('sha256', formKey).update(text).digest('base64url'),
  };
}
