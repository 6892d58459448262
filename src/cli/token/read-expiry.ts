const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses when a token expires: a time from now, such as `30d`, or a date. Throws an Error with one sentence. */
export function readExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const found = count === undefined ? new Date(text) : new Date(now.getTime() + Number(count) * unitMs[unit!]!);
  if (Number.isNaN(found.getTime()) || found <= now)
    throw new Error(`--expires ${text} is no time to come: 30d, 12h, 90m, or a date such as 2027-01-31T00:00:00Z.`);
  return found;
}
