import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { defaultSafetensorsLimits } from '../../checkpoint/safetensors/safetensors-limits.ts';
import { CheckedBody, gitBlobBytesMax, type BodyFacts, type BodyRules } from './checked-body.ts';
import { piecesOf, safetensorsFile, unreadBody, uploadOf } from '../ingest.test-support.ts';
import type { Upload } from './upload.ts';

const roomy: BodyRules = { sizeMaxBytes: 1 << 30 };
const strict: BodyRules = { ...roomy, headerLimits: defaultSafetensorsLimits };
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function take(upload: Upload, rules: BodyRules = roomy): Promise<{ bytes: Buffer; facts: BodyFacts }> {
  const body = new CheckedBody(upload, rules);
  const pieces: Uint8Array[] = [];
  for await (const piece of body.pieces()) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), facts: body.facts() };
}

describe('a checked body', () => {
  it('passes unchanged, with its digests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 5000 }),
        fc.integer({ min: 1, max: 700 }),
        fc.boolean(),
        async (bytes, pieceBytes, announce) => {
          const upload = {
            body: piecesOf(bytes, pieceBytes),
            ...(announce && { lengthBytes: bytes.length, sha256: sha256(bytes).toUpperCase() }),
          };
          const { bytes: passed, facts } = await take(upload);
          expect(passed.equals(bytes)).toBe(true);
          expect(facts).toEqual({
            sizeBytes: bytes.length,
            sha256: sha256(bytes),
            gitSha1: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has the git blob id git gives, up to 1 MiB', async () => {
    expect((await take(uploadOf(Buffer.from('hello\n')))).facts.gitSha1).toBe(
      'ce013625030ba8dba906f756967f9e9ca394464a',
    );
    expect((await take(uploadOf(Buffer.alloc(gitBlobBytesMax)))).facts.gitSha1).toBeDefined();
    expect((await take(uploadOf(Buffer.alloc(gitBlobBytesMax + 1)))).facts.gitSha1).toBeUndefined();
  });

  it('is refused unread for what its announcement says', () => {
    const cases: readonly [FirnErrorCode, Partial<Upload>, Partial<BodyRules>][] = [
      ['empty-body', { lengthBytes: 0 }, {}],
      ['payload-too-large', { lengthBytes: 101 }, { sizeMaxBytes: 100 }],
      ['length-mismatch', { lengthBytes: 10 }, { announced: { sizeBytes: 11 } }],
      ['digest-mismatch', { sha256: 'a'.repeat(64) }, { announced: { sha256: 'b'.repeat(64) } }],
      ['invalid-request', { sha256: 'abc' }, {}],
    ];
    for (const [code, upload, rules] of cases) {
      expect(() => new CheckedBody({ body: unreadBody, ...upload }, { ...roomy, ...rules })).toThrow(
        expect.objectContaining({ code }),
      );
    }
  });

  const model = safetensorsFile([
    ['w', 'F32', [100]],
    ['b', 'F16', [7]],
  ]);
  const badHeader = (json: string): Buffer =>
    Buffer.concat([
      Buffer.from(new BigUint64Array([BigInt(json.length)]).buffer),
      Buffer.from(json),
      Buffer.alloc(5000),
    ]);
  it.each<[string, FirnErrorCode, Buffer, Partial<Upload>, BodyRules]>([
    ['no byte', 'empty-body', Buffer.alloc(0), {}, roomy],
    ['fewer bytes than announced', 'length-mismatch', Buffer.alloc(99), { lengthBytes: 100 }, roomy],
    ['more bytes than announced', 'length-mismatch', Buffer.alloc(101), { lengthBytes: 100 }, roomy],
    ['more bytes than allowed', 'payload-too-large', Buffer.alloc(101), {}, { sizeMaxBytes: 100 }],
    ['another digest', 'digest-mismatch', Buffer.alloc(100), { sha256: sha256(Buffer.alloc(99)) }, roomy],
    [
      'another digest than announced before',
      'digest-mismatch',
      Buffer.alloc(100),
      {},
      { ...roomy, announced: { sha256: sha256(Buffer.alloc(99)) } },
    ],
    [
      'a pickle',
      'not-safetensors',
      Buffer.concat([Buffer.from([0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9]), Buffer.alloc(100)]),
      {},
      strict,
    ],
    ['a wrong header', 'tensor-gap', badHeader('{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}'), {}, strict],
    ['a header longer than the announced body', 'header-truncated', model.subarray(0, 20), { lengthBytes: 20 }, strict],
    [
      'fewer bytes than a header starts with, all of them announced',
      'header-truncated',
      model.subarray(0, 7),
      { lengthBytes: 7 },
      strict,
    ],
    ['a header that never ends', 'header-truncated', model.subarray(0, 20), {}, strict],
    [
      'a safetensors file cut short, announced so',
      'length-mismatch',
      model.subarray(0, -1),
      { lengthBytes: model.length - 1 },
      strict,
    ],
    ['a safetensors file cut short, not announced', 'length-mismatch', model.subarray(0, -1), {}, strict],
    [
      'a safetensors file with bytes after it, announced so',
      'tensor-gap',
      Buffer.concat([model, Buffer.alloc(1)]),
      { lengthBytes: model.length + 1 },
      strict,
    ],
    [
      'a safetensors file with bytes after it, not announced',
      'length-mismatch',
      Buffer.concat([model, Buffer.alloc(1)]),
      {},
      strict,
    ],
  ])('of %s is %s', async (_what, code, bytes, announced, rules) => {
    await expect(take(uploadOf(bytes, announced), rules)).rejects.toMatchObject({ code });
  });

  it('is refused for its header before the rest is asked for', async () => {
    let asked = 0;
    const source = (async function* () {
      for (const piece of [badHeader('{"a":1}'), Buffer.alloc(1000), Buffer.alloc(1000)]) {
        asked++;
        yield piece;
      }
    })();
    const passed: Uint8Array[] = [];
    const body = new CheckedBody({ body: source }, strict);
    await expect(
      (async () => {
        for await (const piece of body.pieces()) passed.push(piece);
      })(),
    ).rejects.toMatchObject({ code: 'header-invalid' });
    expect(asked).toBe(1);
    expect(passed).toEqual([]);
    expect(() => body.facts()).toThrow();
  });

  it('describing more than is allowed is refused at its header', async () => {
    const huge = badHeader('{"a":{"dtype":"U8","shape":[100000],"data_offsets":[0,100000]}}');
    await expect(take(uploadOf(huge, {}), { ...strict, sizeMaxBytes: 50_000 })).rejects.toMatchObject({
      code: 'payload-too-large',
    });
  });

  it('whose source fails is upload-aborted, whatever the source says', async () => {
    const cause = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    const source = (async function* () {
      yield Buffer.alloc(10);
      throw cause;
    })();
    await expect(take({ body: source, lengthBytes: 20 })).rejects.toMatchObject({ code: 'upload-aborted', cause });
  });

  it('whose client is gone is upload-aborted at once, though the source never answers', async () => {
    const controller = new AbortController();
    const source = (async function* () {
      yield Buffer.alloc(10);
      setImmediate(() => controller.abort());
      await new Promise(() => undefined);
    })();
    await expect(take({ body: source, signal: controller.signal })).rejects.toMatchObject({ code: 'upload-aborted' });
  });

  it('in pieces of one byte takes no more memory than in large ones', async () => {
    const before = process.memoryUsage().heapUsed;
    const body = new CheckedBody({ body: piecesOf(Buffer.alloc(300_000), 1) }, roomy);
    let highest = 0;
    let seen = 0;
    for await (const piece of body.pieces()) {
      seen += piece.length;
      if (seen % 10_000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed - before);
    }
    expect(highest).toBeLessThan(64 << 20);
  });
});
