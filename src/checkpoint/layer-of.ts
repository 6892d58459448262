/** The layer that a tensor belongs to: its name up to the first number, or without its last part. */
export function layerOf(name: string): string {
  const parts = name.split('.');
  const number = parts.findIndex((part) => /^\d+$/.test(part));
  if (number !== -1) return parts.slice(0, number + 1).join('.');
  return parts.length > 1 ? parts.slice(0, -1).join('.') : name;
}
