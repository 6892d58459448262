import type { HubOptions, Session } from '../session.ts';
import { confirmName } from './confirm-name.ts';

/** The options of every deletion. */
export interface DeleteCommand extends HubOptions {
  /** Does not ask. */
  readonly yes?: boolean;
}

export interface Deletion {
  /** What a person types to confirm it. */
  readonly name: string;
  /** Does not ask. */
  readonly isSure: boolean;
  /** Reads what a person is about to confirm, for its ETag. It is not called if nobody is asked. */
  readonly read?: () => Promise<{ readonly response: Response }>;
  /** Sends the request; the header holds the ETag if there is one. */
  readonly remove: (header: { readonly 'if-match'?: string }) => Promise<unknown>;
  /** What becomes of its bytes, for a person. */
  readonly afterwards: string;
}

/**
 * Asks for the name, deletes, and says so. What a person confirms is the thing as it was when they were asked: if it
 * changed meanwhile, the hub refuses. Throws an Error if another name is typed or nobody can be asked.
 */
export async function deleteNamed({ hub, terminal }: Session, deletion: Deletion): Promise<void> {
  const { name, isSure, read, remove, afterwards } = deletion;
  const tag = isSure ? undefined : (await read?.())?.response.headers.get('etag');
  await confirmName(name, isSure);
  await remove(tag === undefined || tag === null ? {} : { 'if-match': tag });
  hub.close();
  terminal.say(terminal.asJson ? JSON.stringify({ deleted: name }) : `${name} is deleted; ${afterwards}`);
}
