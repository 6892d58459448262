import type { Tracer } from './tracer.ts';

type Verb = (...args: never[]) => Promise<unknown>;

/** The same verbs, with a span `room.verb` for each call. */
export function tracedVerbs<Verbs extends { [Name in keyof Verbs]: Verb }>(
  tracer: Tracer,
  room: string,
  verbs: Verbs,
): Verbs {
  const all = Object.entries(verbs) as [string, Verb][];
  return Object.fromEntries(
    all.map(([name, verb]) => [name, (...args: never[]) => tracer.span(`${room}.${name}`, {}, () => verb(...args))]),
  ) as Verbs;
}
