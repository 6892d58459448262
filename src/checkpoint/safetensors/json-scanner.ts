import { FirnError } from '../firn-error.ts';

const quote = 0x22,
  comma = 0x2c,
  colon = 0x3a,
  backslash = 0x5c,
  openBrace = 0x7b,
  closeBrace = 0x7d,
  openBracket = 0x5b,
  closeBracket = 0x5d;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * A strict cursor over UTF-8 JSON (RFC 8259), for headers of a known shape. It reports every key in order, with
 * duplicates (JSON.parse silently takes the last one), accepts only the numbers a header may have, and never recurses.
 * All failures are `header-invalid` and name the byte, counted from the start of `bytes`.
 */
export class JsonScanner {
  readonly #bytes: Buffer;
  #at: number;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(bytes: Uint8Array, startBytes = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = startBytes;
  }

  /** Calls `visit` for each key, with the cursor on its value; `visit` must consume the value. */
  members(visit: (key: string) => void, keyLengthMax = Number.POSITIVE_INFINITY): void {
    this.#expect(openBrace, 'an object');
    if (this.#take(closeBrace)) return;
    do {
      this.#skipSpace();
      const key = this.string(keyLengthMax);
      this.#expect(colon, '":"');
      visit(key);
    } while (this.#take(comma));
    this.#expect(closeBrace, '"," or "}"');
  }

  /** Calls `visit` for each element, with the cursor on it; `visit` must consume it. */
  elements(visit: () => void): void {
    this.#expect(openBracket, 'an array');
    if (this.#take(closeBracket)) return;
    do visit();
    while (this.#take(comma));
    this.#expect(closeBracket, '"," or "]"');
  }

  /** A string of whole Unicode characters: invalid UTF-8 and lone surrogates fail. */
  string(lengthMax = Number.POSITIVE_INFINITY): string {
    this.#expect(quote, 'a string');
    const start = this.#at;
    let plain = true;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) this.fail('a string does not end');
      if (byte === quote) break;
      if (byte < 0x20) this.fail('a control character inside a string');
      if (byte === backslash) this.#at++;
      if (byte === backslash || byte >= 0x80) plain = false;
      this.#at++;
    }
    const end = this.#at++;
    // No character takes more than six bytes ("\uXXXX"), so a longer text need not be decoded to be refused.
    if (end - start > 6 * lengthMax) this.fail('a name is too long');
    const text = plain ? this.#bytes.toString('latin1', start, end) : this.#decode(start, end);
    if (text.length > lengthMax) this.fail('a name is too long');
    return text;
  }

  /** A non-negative integer up to 2^53 - 1, written without sign, fraction, exponent or leading zero. */
  integer(): number {
    this.#skipSpace();
    const start = this.#at;
    let value = 0;
    for (let digit; (digit = (this.#bytes[this.#at] ?? 0) - 0x30) >= 0 && digit <= 9; this.#at++) {
      value = value * 10 + digit;
      if (value > Number.MAX_SAFE_INTEGER) this.fail('a number is larger than 2^53 - 1');
    }
    const digits = this.#at - start;
    const next = this.#bytes[this.#at];
    const more = next === 0x2e || next === 0x65 || next === 0x45;
    if (digits === 0 || more || (digits > 1 && this.#bytes[start] === 0x30))
      this.fail('a non-negative integer was expected');
    return value;
  }

  /** After the outermost value: nothing but spaces. */
  end(): void {
    while (this.#bytes[this.#at] === 0x20) this.#at++;
    if (this.#at !== this.#bytes.length) this.fail('only spaces may follow the closing brace');
  }

  fail(what: string): never {
    throw new FirnError('header-invalid', `The safetensors header is not valid at byte ${this.#at}: ${what}.`);
  }

  #decode(start: number, end: number): string {
    let text = '';
    let from = start;
    for (let at = start; at < end; at++) {
      if (this.#bytes[at] !== backslash) continue;
      text += this.#decodeUtf8(from, at);
      const letter = String.fromCharCode(this.#bytes[at + 1] ?? 0);
      if (letter === 'u') {
        const hex = this.#bytes.toString('latin1', at + 2, Math.min(at + 6, end));
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('an escape is not valid');
        text += String.fromCharCode(Number.parseInt(hex, 16));
        at += 5;
      } else {
        text += escapes[letter] ?? this.fail('an escape is not valid');
        at += 1;
      }
      from = at + 1;
    }
    text += this.#decodeUtf8(from, end);
    if (/\p{Surrogate}/u.test(text)) this.fail('half of a surrogate pair');
    return text;
  }

  #decodeUtf8(start: number, end: number): string {
    try {
      return this.#utf8.decode(this.#bytes.subarray(start, end));
    } catch {
      return this.fail('the text is not UTF-8');
    }
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #take(byte: number): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number, what: string): void {
    if (!this.#take(byte)) this.fail(`${what} was expected`);
  }
}
