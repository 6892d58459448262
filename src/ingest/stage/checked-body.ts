import { createHash } from 'node:crypto';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { GrowingBytes } from '../../checkpoint/safetensors/growing-bytes.ts';
import { SafetensorsHeaderReader } from '../../checkpoint/safetensors/safetensors-header-reader.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { SafetensorsLimits } from '../../checkpoint/safetensors/safetensors-limits.ts';
import { untilAborted } from '../../store/until-aborted.ts';
import type { Upload } from './upload.ts';

/** Files up to this size, in bytes, get a git blob id: hubs store them in git itself, not as large files. */
export const gitBlobBytesMax = 1024 * 1024;

export interface BodyRules {
  readonly sizeMaxBytes: number;
  /** Announced at reservation. */
  readonly announced?: { readonly sizeBytes?: number; readonly sha256?: string };
  /** Set for files that must be safetensors. */
  readonly headerLimits?: SafetensorsLimits;
  /** Whether an empty body is allowed. */
  readonly mayBeEmpty?: boolean;
}

/** Length and digests of a body, known once all of it has passed. */
export interface BodyFacts {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly gitSha1?: string;
}

/**
 * Checks a body while it passes: length, digest, and the safetensors header if one is required. The constructor refuses
 * what the announcement alone makes unacceptable, before a byte is read. Errors: `empty-body`, `payload-too-large`,
 * `length-mismatch`, `digest-mismatch`, `invalid-request` (not a digest), `upload-aborted` (the source failed or the
 * signal fired), and those of the header. Memory is at most `gitBlobBytesMax` and one header.
 */
export class CheckedBody {
  readonly #upload: Upload;
  readonly #rules: BodyRules;
  readonly #lengthBytes: number | undefined;
  readonly #digests: readonly string[];
  #facts: BodyFacts | undefined;

  constructor(upload: Upload, rules: BodyRules) {
    const lengths = [upload.lengthBytes, rules.announced?.sizeBytes].filter((length) => length !== undefined);
    if (lengths.some((length) => length !== lengths[0]))
      throw new FirnError('length-mismatch', `The body has ${lengths[0]} bytes; ${lengths[1]} were announced.`);
    this.#upload = upload;
    this.#rules = rules;
    this.#lengthBytes = lengths[0];
    if (this.#lengthBytes !== undefined) this.#checkSize(this.#lengthBytes);
    this.#digests = [upload.sha256, rules.announced?.sha256].filter((digest) => digest !== undefined).map(checkSha256);
    if (this.#digests.some((digest) => digest !== this.#digests[0])) throw digestMismatch();
  }

  get lengthBytes(): number | undefined {
    return this.#lengthBytes;
  }

  /**
   * The bytes, once; ends normally only if all of them match the announcement. `onProgress` gets the number of bytes
   * before they are passed on; it may throw, or delay them.
   */
  async *pieces(onProgress?: (sizeBytes: number) => void | Promise<void>): AsyncGenerator<Uint8Array> {
    const sha256 = createHash('sha256');
    const sha512 = this.#upload.sha512 === undefined ? undefined : createHash('sha512');
    const blob = new SmallBlob();
    const header = this.#rules.headerLimits && new SafetensorsHeaderReader(this.#lengthBytes, this.#rules.headerLimits);
    let expectedBytes = this.#lengthBytes;
    let sizeBytes = 0;
    for await (const piece of readSource(this.#upload)) {
      if (piece.length === 0) continue;
      sizeBytes += piece.length;
      this.#checkSize(sizeBytes);
      const layout = header?.push(piece);
      expectedBytes ??= this.#describedSize(layout);
      if (expectedBytes !== undefined && sizeBytes > expectedBytes)
        throw new FirnError('length-mismatch', `The body has more than the ${expectedBytes} bytes announced.`);
      const room = onProgress?.(sizeBytes);
      if (room !== undefined) await room;
      sha256.update(piece);
      sha512?.update(piece);
      blob.add(piece);
      yield piece;
    }
    if (expectedBytes !== undefined && sizeBytes < expectedBytes)
      throw new FirnError('length-mismatch', `The body ended after ${sizeBytes} of ${expectedBytes} bytes.`);
    this.#checkSize(sizeBytes);
    header?.finish();
    const digest = sha256.digest('hex');
    if (this.#digests.some((expected) => expected !== digest)) throw digestMismatch();
    if (sha512?.digest('hex') !== this.#upload.sha512) throw digestMismatch('sha512');
    const gitSha1 = blob.digest();
    this.#facts = { sizeBytes, sha256: digest, ...(gitSha1 !== undefined && { gitSha1 }) };
  }

  /** Call it after `pieces` has ended. */
  facts(): BodyFacts {
    if (this.#facts === undefined) throw new FirnError('internal', 'A body was used before all of it had arrived.');
    return this.#facts;
  }

  #checkSize(sizeBytes: number): void {
    if (sizeBytes === 0 && this.#rules.mayBeEmpty !== true) throw new FirnError('empty-body', 'The body is empty.');
    if (sizeBytes > this.#rules.sizeMaxBytes)
      throw new FirnError('payload-too-large', `A file may have at most ${this.#rules.sizeMaxBytes} bytes.`);
  }

  /** The length according to the safetensors header, if nothing else announces it. */
  #describedSize(layout: SafetensorsLayout | undefined): number | undefined {
    if (layout !== undefined) this.#checkSize(layout.sizeBytes);
    return layout?.sizeBytes;
  }
}

/** Buffers a body while it is small, for its git blob id: the hashed text begins with the size. */
class SmallBlob {
  readonly #bytes = new GrowingBytes();
  #small = true;

  add(piece: Uint8Array): void {
    this.#small &&= this.#bytes.length + piece.length <= gitBlobBytesMax;
    if (this.#small) this.#bytes.append(piece);
    else this.#bytes.clear();
  }

  digest(): string | undefined {
    return this.#small
      ? createHash('sha1').update(`blob ${this.#bytes.length}\0`).update(this.#bytes.view()).digest('hex')
      : undefined;
  }
}

/** The source's pieces; a failure of the source counts as an aborted upload. */
async function* readSource({ body, signal }: Upload): AsyncGenerator<Uint8Array> {
  const aborted = (cause: unknown): FirnError =>
    new FirnError('upload-aborted', 'The connection ended before the whole body had arrived.', { cause });
  const source = untilAborted(body, signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next().catch((err: unknown) => {
        throw err instanceof FirnError && err.code !== 'cancelled' ? err : aborted(err);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return(undefined);
  }
}

function checkSha256(digest: string): string {
  if (!/^[0-9a-f]{64}$/i.test(digest)) throw new FirnError('invalid-request', 'A sha256 has 64 hex digits.');
  return digest.toLowerCase();
}

function digestMismatch(algorithm: 'sha256' | 'sha512' = 'sha256'): FirnError {
  return new FirnError('digest-mismatch', `The body has another ${algorithm} than announced.`);
}
