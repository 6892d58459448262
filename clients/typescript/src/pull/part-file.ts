import { appendFile, open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { fileDigest } from '../push/file-digest.ts';

/** What a half-pulled file is a part of; another description means another file. */
export interface PartDescription {
  readonly etag: string;
  readonly sizeBytes: number;
  readonly pieceBytes: number;
}

/** Largest record of pieces that is read, in bytes: some million pieces. */
const recordBytesMax = 16 * 1024 * 1024;

/**
 * A file on its way: `NAME.firn-part`, with a record beside it of which pieces it has. Pieces come in any order. A
 * process that is killed leaves both, and the next one goes on.
 */
export class PartFile {
  readonly handle: FileHandle;
  /** Numbers of the pieces that are there, from 0. */
  readonly pieces: Set<number>;
  readonly #path: string;

  private constructor(path: string, handle: FileHandle, pieces: Set<number>) {
    this.#path = path;
    this.handle = handle;
    this.pieces = pieces;
  }

  static async open(path: string, description: PartDescription): Promise<PartFile> {
    const head = JSON.stringify(description);
    const known = await piecesOf(path, head, description);
    if (known !== undefined) return new PartFile(path, await open(partOf(path), 'r+'), known);
    await writeFile(partOf(path), '');
    await writeFile(recordOf(path), `${head}\n`);
    return new PartFile(path, await open(partOf(path), 'r+'), new Set());
  }

  /** Records a piece whose bytes have been written. */
  async add(piece: number): Promise<void> {
    this.pieces.add(piece);
    await appendFile(recordOf(this.#path), `${piece}\n`);
  }

  /** SHA-256 in hex of what is there. */
  digest(): Promise<string> {
    return fileDigest(partOf(this.#path));
  }

  /** Gives the file its name, after which the record is not needed. */
  async finish(): Promise<void> {
    await this.handle.close();
    await rename(partOf(this.#path), this.#path);
    await rm(recordOf(this.#path), { force: true });
  }

  /** Closes it, to go on another time; after `finish` or `discard`, nothing. */
  async leave(): Promise<void> {
    await this.handle.close();
  }

  /** Deletes what is there, because it is not what it should be. */
  async discard(): Promise<void> {
    await this.handle.close();
    await rm(recordOf(this.#path), { force: true });
    await rm(partOf(this.#path), { force: true });
  }
}

const partOf = (path: string): string => `${path}.firn-part`;
const recordOf = (path: string): string => `${path}.firn-part.pieces`;

/** Undefined if there is no record of the same file. A line that was cut off by a kill does not count. */
async function piecesOf(path: string, head: string, { sizeBytes, pieceBytes }: PartDescription) {
  const [part, record] = await Promise.all([
    stat(partOf(path)).catch(() => undefined),
    stat(recordOf(path)).catch(() => undefined),
  ]);
  if (part === undefined || record === undefined || record.size > recordBytesMax) return undefined;
  const [first, ...lines] = (await readFile(recordOf(path), 'utf8')).split('\n');
  if (first !== head) return undefined;
  return parsePieces(lines, Math.ceil(sizeBytes / pieceBytes));
}

/** Piece numbers below `count` of the complete lines of a record; the last is what follows the last line feed. */
export function parsePieces(lines: readonly string[], count: number): Set<number> {
  const whole = lines.slice(0, -1).filter((line) => /^\d{1,9}$/.test(line));
  return new Set(whole.map(Number).filter((piece) => piece < count));
}
