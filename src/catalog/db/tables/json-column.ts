import { customType } from 'drizzle-orm/pg-core';

/**
 * The only key of the object that represents a number JSON cannot write. Other keys that start with `$` get one more.
 */
const nonFiniteKey = '$number';

/**
 * A jsonb column that preserves NaN and the infinities, which a measured metric may be. They are written as
 * `{"$number":"NaN"}`; everything else is plain JSON, so any client can read the column.
 */
export function json<Value>(name: string) {
  return customType<{ data: Value; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: encodeJson,
    // Some drivers parse jsonb, others return its text.
    fromDriver: (stored) => decodeJson(typeof stored === 'string' ? JSON.parse(stored) : stored) as Value,
  })(name);
}

export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'number' && !Number.isFinite(item)) return { [nonFiniteKey]: String(item) };
    return isObject(item) ? mapKeys(item, (key) => (key.startsWith('$') ? `$${key}` : key)) : item;
  });
}

export function decodeJson(stored: unknown): unknown {
  if (Array.isArray(stored)) return stored.map(decodeJson);
  if (!isObject(stored)) return stored;
  if (Object.hasOwn(stored, nonFiniteKey)) return Number(stored[nonFiniteKey]);
  const plain = mapKeys(stored, (key) => (key.startsWith('$$') ? key.slice(1) : key));
  return Object.fromEntries(Object.entries(plain).map(([key, item]) => [key, decodeJson(item)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapKeys(object: Record<string, unknown>, rename: (key: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [rename(key), item]));
}
