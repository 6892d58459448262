/** What an operation sends its requests with. */
export interface HubCaller {
  /**
   * Sends one request; resolves to the body of an answer with success. `done` are the statuses which say that the
   * request was done before; they count as success if it may have been sent before. Rejects when there is no answer.
   */
  send(method: string, path: string, body?: Uint8Array | object, done?: readonly number[]): Promise<Buffer>;
  /** Names of uploads that were acknowledged: blobs, parts and xorbs. They are not sent again. */
  readonly kept: Set<string>;
}

/** An answer that no kill and no fault explains. */
export class Refused extends Error {}
