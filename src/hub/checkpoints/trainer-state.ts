/** Longest key that is looked at, in bytes, and longest number. */
const textBytesMax = 16;

/**
 * Finds the step in a `trainer_state.json` as its bytes arrive: the number `global_step` of the outermost object. The
 * file is not parsed: a log of a long training has megabytes, and a parser takes many times its size and stops all
 * else for as long. Call `push` for each piece until `step` is there.
 */
export class TrainerStateScan {
  #step: number | undefined;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** The beginning of the string or number that is being read, or was read last. */
  #text = '';
  #isOfStep = false;

  /** Undefined until it was found, and where there is none. */
  get step(): number | undefined {
    return this.#step;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#step === undefined; at++) this.#take(bytes[at]!);
  }

  #take(byte: number): void {
    if (this.#isString) return this.#takeOfString(byte);
    // At other depths there is nothing but brackets and strings to see.
    const isOutermost = this.#depth === 1;
    switch (byte) {
      case quote:
        this.#isString = true;
        this.#text = '';
        this.#isOfStep = false;
        return;
      case colon:
        this.#isOfStep = isOutermost && this.#text === stepKey;
        this.#text = '';
        return;
      case openBrace:
      case openBracket:
        // Members of an outermost list have no keys.
        if (this.#depth === 0 && byte === openBracket) this.#depth++;
        this.#depth++;
        this.#isOfStep = false;
        return;
      case comma:
      case closeBrace:
      case closeBracket:
        if (this.#isOfStep && isOutermost) this.#step = stepOf(this.#text);
        if (byte !== comma) this.#depth--;
        this.#isOfStep = false;
        this.#text = '';
        return;
      default:
        if (this.#isOfStep && this.#text.length < textBytesMax + 1) this.#text += String.fromCharCode(byte);
    }
  }

  #takeOfString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isString = false;
    if (this.#isString && this.#depth === 1 && this.#text.length < textBytesMax)
      this.#text += String.fromCharCode(byte);
  }
}

/** The step in a whole `trainer_state.json`; undefined if it names none. Pure. */
export function stepOfTrainerState(bytes: Uint8Array): number | undefined {
  const scan = new TrainerStateScan();
  scan.push(bytes);
  return scan.step;
}

/** A number that can be a step: whole, not negative, exact. */
function stepOf(text: string): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

const stepKey = 'global_step';
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
