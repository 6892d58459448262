import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HubApi } from '../acceptance/hub-api.ts';
import type { Answer, Asked } from '../harness/ask.ts';

/** Longest wait for a hub to take the sent bytes, or to release an upload that another process held, in ms. */
const patienceMs = 240_000;
const pauseMs = 250;
/** Statuses after which a tus client asks for the offset again. */
const askAgain: ReadonlySet<number> = new Set([409, 423, 503]);

const version = { 'tus-resumable': '1.0.0' };
const bytesType = 'application/offset+octet-stream';

/** A PATCH that is interrupted. */
export interface BrokenPatch {
  readonly offset: number;
  /** The announced length. */
  readonly lengthBytes: number;
  readonly sent: Uint8Array;
  /** Below 1: sends only this share of the headers, and no bytes. */
  readonly headerShare: number;
  /**
   * Undefined: the connection ends after all sent bytes. Else called once all bytes were handed to the system; the
   * connection is reset when it resolves.
   */
  readonly beforeReset?: () => Promise<void>;
}

/** One upload of a tus client. Every request goes to the gateway that `url` names at that moment. */
export class TusClient {
  readonly href: string;
  readonly #sizeBytes: number;
  readonly #url: () => string;

  private constructor(url: () => string, href: string, sizeBytes: number) {
    this.#url = url;
    this.href = href;
    this.#sizeBytes = sizeBytes;
  }

  static async create(url: () => string, collection: string, sizeBytes: number): Promise<TusClient> {
    const created = await new HubApi(url()).ask('POST', collection, {
      headers: { ...version, 'upload-length': String(sizeBytes) },
    });
    if (created.status !== 201) throw new Error(`creation answered ${created.status}: ${created.bytes.toString()}`);
    return new TusClient(url, created.headers.get('location')!, sizeBytes);
  }

  async offset(): Promise<number> {
    const head = await this.#ask('HEAD', { headers: version });
    if (head.status !== 200) throw new Error(`HEAD ${this.href} answered ${head.status}`);
    return Number(head.headers.get('upload-offset'));
  }

  /** The offset once it has reached `leastOffset`, or the current one when patience ends. */
  async offsetFrom(leastOffset: number): Promise<number> {
    for (const deadline = Date.now() + patienceMs; ; await delay(pauseMs)) {
      const offset = await this.offset();
      if (offset >= leastOffset || Date.now() > deadline) return offset;
    }
  }

  /**
   * The final offset, which no earlier request can change: an empty PATCH has taken the upload over, or it is complete.
   */
  settledOffset(): Promise<number> {
    return this.#go(() => new Uint8Array());
  }

  /**
   * Asks for the offset and sends the remaining bytes. Returns the offset afterwards: the size, unless the upload did
   * not complete.
   */
  sendRest(bytes: Uint8Array): Promise<number> {
    return this.#go((offset) => bytes.subarray(offset));
  }

  /** Asks for the offset and sends bytes from there; repeats while the hub tells the client to ask again. */
  async #go(bytesAt: (offset: number) => Uint8Array): Promise<number> {
    for (const deadline = Date.now() + patienceMs; ; await delay(pauseMs)) {
      const offset = await this.offset();
      if (offset === this.#sizeBytes || Date.now() > deadline) return offset;
      const headers = { ...version, 'content-type': bytesType, 'upload-offset': String(offset) };
      const answer = await this.#ask('PATCH', { body: bytesAt(offset), headers });
      if (answer.status === 204) return Number(answer.headers.get('upload-offset'));
      if (!askAgain.has(answer.status)) throw new Error(`PATCH answered ${answer.status}: ${answer.bytes.toString()}`);
    }
  }

  #ask(method: string, asked: Asked): Promise<Answer> {
    return new HubApi(this.#url()).ask(method, this.href, asked);
  }

  /** Begins a PATCH and interrupts it. Returns the offset acknowledged before, if any. */
  breakPatch({ offset, lengthBytes, sent, headerShare, beforeReset }: BrokenPatch): Promise<number | undefined> {
    const { hostname, port, host } = new URL(this.#url());
    const fields = [
      `PATCH ${this.href} HTTP/1.1`,
      `Host: ${host}`,
      'Tus-Resumable: 1.0.0',
      `Content-Type: ${bytesType}`,
    ];
    const head = Buffer.from(
      [...fields, `Upload-Offset: ${offset}`, `Content-Length: ${lengthBytes}`, '', ''].join('\r\n'),
    );
    const all = headerShare < 1 ? head.subarray(0, Math.floor(headerShare * head.length)) : Buffer.concat([head, sent]);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let answer = '';
      let resetting: Promise<void> | undefined;
      socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        const acknowledged = /^HTTP\/1\.1 204[\s\S]*^upload-offset: (\d+)/im.exec(answer)?.[1];
        // A killed hub closes the connection long before the next hub runs.
        Promise.resolve(resetting).then(
          () => resolve(acknowledged === undefined ? undefined : Number(acknowledged)),
          reject,
        );
      });
      socket.on('connect', () => {
        if (beforeReset === undefined) socket.end(all);
        else
          socket.write(all, () => {
            resetting = beforeReset();
            resetting.then(() => socket.resetAndDestroy(), reject);
          });
      });
    });
  }
}
