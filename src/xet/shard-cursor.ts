import { FirnError } from '../checkpoint/firn-error.ts';
import { textOfXetHash, type XetHash } from './xet-hash.ts';

/** The first 32 bytes of a shard (metadata_shard/shard_format.rs), in hex. */
const tag = '48465265706f4d6574614461746100556967456a7b815783a5bdd95ccdd14aa9';
const headerVersion = 2;
const headerBytes = 48;
/** Files, terms, hashes, xorbs and chunks are entries of this size. */
const entryBytes = 48;
/** A section ends with an entry whose hash is this. */
const sectionEnd = Buffer.alloc(32, 0xff);
/** The size of the one known footer. */
export const shardFooterBytes = 200;

/** Steps through a shard of unknown origin by entries; fields are little-endian and read at an entry's place. */
export class ShardCursor {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  /** Where the next entry begins. */
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @throws FirnError `invalid-request` if these are not the bytes of a shard of the known version. */
  header(): { footerBytes: number } {
    if (this.bytes.length < headerBytes || Buffer.from(this.bytes.subarray(0, 32)).toString('hex') !== tag)
      throw invalid('The bytes do not begin as a shard.');
    const version = this.u64(32);
    if (version !== headerVersion) throw invalid(`The shard has version ${version}; only ${headerVersion} is known.`);
    const footerBytes = this.u64(40);
    if (footerBytes !== 0 && footerBytes !== shardFooterBytes)
      throw invalid(`The shard declares a footer of ${footerBytes} bytes; a footer has ${shardFooterBytes}.`);
    this.at = headerBytes;
    return { footerBytes };
  }

  /** Steps over one entry; answers its place. */
  entry(section: string): number {
    if (this.bytes.length - this.at < entryBytes) throw invalid(`The shard ends inside ${section}.`);
    this.at += entryBytes;
    return this.at - entryBytes;
  }

  isSectionEnd(entry: number): boolean {
    return sectionEnd.equals(this.bytes.subarray(entry, entry + 32));
  }

  u32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  /** @throws FirnError `invalid-request` beyond the exact integers, which no size or place of a shard reaches. */
  u64(at: number): number {
    const value = this.#view.getBigUint64(at, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw invalid(`The shard holds the number ${value}, which is no size.`);
    return Number(value);
  }

  /** The hash at a place. Answers `likely` itself if that is the hash, so that repeated ones share their memory. */
  hash(at: number, likely?: XetHash): XetHash {
    const hash = textOfXetHash(this.bytes, at);
    return hash === likely ? likely : hash;
  }
}

function invalid(message: string): FirnError {
  return new FirnError('invalid-request', message);
}
