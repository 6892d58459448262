import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dtypeBytes, type Dtype } from '../checkpoint/dtype.ts';

export interface Column {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}

export const f32 = (shape: number[], ...values: number[]): Column => ({
  dtype: 'F32',
  shape,
  data: Float32Array.from(values),
});
export const i64 = (shape: number[], ...values: number[]): Column => ({
  dtype: 'I64',
  shape,
  data: BigInt64Array.from(values.map(BigInt)),
});

/** Writes graphs and safetensors files into a folder, each under a path of its own. */
export class EvalFiles {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A path without a file yet. */
  path(): string {
    return join(this.#folder, `file-${this.#count++}`);
  }

  write(bytes: Uint8Array): string {
    const path = this.path();
    writeFileSync(path, bytes);
    return path;
  }

  /** With `aligned` the data begins at a multiple of 8 bytes, as most writers of such files see to. */
  writeTensors(columns: Readonly<Record<string, Column>>, aligned = false): string {
    let at = 0;
    const header = Object.fromEntries(
      Object.entries(columns).map(([name, { dtype, shape }]) => {
        const start = at;
        at += shape.reduce((product, dim) => product * dim, dtypeBytes[dtype]);
        return [name, { dtype, shape, data_offsets: [start, at] }];
      }),
    );
    const text = JSON.stringify(header);
    const json = new TextEncoder().encode(aligned ? text.padEnd(Math.ceil(text.length / 8) * 8) : text);
    const length = new Uint8Array(new BigUint64Array([BigInt(json.length)]).buffer);
    const data = Object.values(columns).map(
      ({ data: { buffer, byteOffset, byteLength } }) => new Uint8Array(buffer, byteOffset, byteLength),
    );
    return this.write(Buffer.concat([length, json, ...data]));
  }
}
