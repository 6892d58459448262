/**
 * A measured figure for a sentence, with so many significant digits and no trailing zeros; "not finite" if it is not.
 */
export function figureInWords(value: number, digits: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : 'not finite';
}
