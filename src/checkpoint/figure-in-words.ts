/**
 * A measured figure for a sentence, in so many significant digits: without trailing zeros, and in words where it is no
 * number.
 */
export function figureInWords(value: number, digits: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : 'not finite';
}
