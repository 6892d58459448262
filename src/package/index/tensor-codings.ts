import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { codingRuleOf, codingRules } from '../codings/all-codings.ts';
import type { CodeContext } from '../codings/coding-rule.ts';
import { masterCode } from '../codings/exact-coding.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { fileCountMax, tensorNumberMax } from '../format-limits.ts';
import {
  isBlockless,
  type FormatVersion,
  type PackageCodebook,
  type SafetensorsContent,
  type TensorCoding,
} from '../package-index.ts';

/** The same tensors' codings in the ancestor, and the codebooks they refer to there. */
export interface AncestorCodings {
  readonly content: SafetensorsContent;
  readonly codebooks: readonly PackageCodebook[];
}

/**
 * Writes one coding per tensor of file number `file` as runs, or as one zero byte if all equal the ancestor's. Then the
 * tensors that copies, inherited tensors and masters refer to follow (docs/format.md, "Codings").
 */
export function writeCodings(
  writer: ByteWriter,
  codings: readonly TensorCoding[],
  { codebooks, file }: { readonly codebooks: readonly PackageCodebook[]; readonly file: number },
  ancestor: AncestorCodings | undefined,
): void {
  writeCodes(writer, codings, codebooks, ancestor);
  for (const coding of codings) {
    const named = coding.kind === 'exact' ? coding.modelWeights : isBlockless(coding) ? coding : undefined;
    if (named !== undefined)
      writer
        .varint(coding.kind === 'copy' && coding.widened === undefined ? file - named.file : named.file)
        .varint(named.tensor);
  }
}

function writeCodes(
  writer: ByteWriter,
  codings: readonly TensorCoding[],
  codebooks: readonly PackageCodebook[],
  ancestor: AncestorCodings | undefined,
): void {
  if (ancestor !== undefined && codings.length > 0) {
    const inherited = translate(ancestor, codebooks);
    if (inherited.length === codings.length && inherited.every((code, tensor) => code === codeOf(codings[tensor]!))) {
      writer.varint(0);
      return;
    }
  }
  const runs: { code: number; length: number }[] = [];
  for (const coding of codings) {
    const code = codeOf(coding);
    const last = runs.at(-1);
    if (last?.code === code) last.length++;
    else runs.push({ code, length: 1 });
  }
  writer.varint(runs.length);
  for (const run of runs) writer.u8(run.code).varint(run.length);
}

/**
 * Reads the output of `writeCodings` for `tensorCount` tensors. `readSecondMoments` adds the references of first
 * moments. The caller must check that copies, masters and inherited tensors refer to valid tensors. Throws
 * `corrupt-package`.
 */
export function readCodings(
  reader: ByteReader,
  tensorCount: number,
  {
    codebooks,
    ...context
  }: { readonly codebooks: readonly PackageCodebook[]; readonly formatVersion: FormatVersion; readonly file: number },
  ancestor: AncestorCodings | undefined,
): TensorCoding[] {
  const codes = readCodes(reader, tensorCount, codebooks, ancestor);
  return codes.map(
    (code) => readNamed(reader, code, context) ?? codingOf(code, { ...context, codebookCount: codebooks.length }),
  );
}

function readCodes(
  reader: ByteReader,
  tensorCount: number,
  codebooks: readonly PackageCodebook[],
  ancestor: AncestorCodings | undefined,
): number[] {
  const runCount = reader.varint(tensorCount, 'the number of coding runs');
  if (runCount === 0 && tensorCount > 0) {
    if (ancestor === undefined || ancestor.content.codings.length !== tensorCount)
      throw corruptPackage('codings are inherited from an ancestor that does not have them');
    return translate(ancestor, codebooks);
  }
  const codes: number[] = [];
  for (let run = 0; run < runCount; run++) {
    const code = reader.u8();
    const length = reader.varint(tensorCount - codes.length, 'the length of a coding run');
    if (length === 0) throw corruptPackage('a coding run is empty');
    for (let i = 0; i < length; i++) codes.push(code);
  }
  if (codes.length !== tensorCount) throw corruptPackage('coding runs do not cover all tensors');
  return codes;
}

/** A coding that refers to another tensor; undefined for any other. */
function readNamed(
  reader: ByteReader,
  code: number,
  { formatVersion, file }: { readonly formatVersion: FormatVersion; readonly file: number },
): TensorCoding | undefined {
  if (code === copyCode && formatVersion >= 4) {
    return {
      kind: 'copy',
      file: file - reader.varint(file, 'the distance to the file of a copied tensor'),
      tensor: reader.varint(tensorNumberMax, 'the number of a copied tensor'),
    };
  }
  const isNew =
    code === inheritedCode ? formatVersion >= 6 : (code === masterCode || code === widenedCode) && formatVersion >= 5;
  if (!isNew) return undefined;
  const named = {
    file: reader.varint(fileCountMax - 1, 'the file of a named tensor'),
    tensor: reader.varint(tensorNumberMax, 'the number of a named tensor'),
  };
  if (code === inheritedCode) return { kind: 'inherited', ...named };
  return code === masterCode
    ? { kind: 'exact', layerType: 'buffer', modelWeights: named }
    : { kind: 'copy', ...named, widened: true };
}

const copyCode = 40;
const widenedCode = 42;
const inheritedCode = 43;

/** 40: a copy; 42: a widened copy; 43: inherited; others by the rules of package/codings. */
function codeOf(coding: TensorCoding): number {
  if (coding.kind === 'inherited') return inheritedCode;
  if (coding.kind === 'copy') return coding.widened === true ? widenedCode : copyCode;
  return codingRuleOf(coding).codeOf(coding);
}

function codingOf(code: number, context: CodeContext): TensorCoding {
  for (const rule of codingRules) {
    const coding = rule.read(code, context);
    if (coding !== undefined) return coding;
  }
  throw corruptPackage('a tensor refers to a codebook that is not there');
}

/** The ancestor's codings as codes of this package; -1 if this package lacks the codebook. */
function translate(ancestor: AncestorCodings, codebooks: readonly PackageCodebook[]): number[] {
  const codebookHere = ancestor.codebooks.map((there) =>
    codebooks.findIndex((here) => here.layerType === there.layerType && here.dtype === there.dtype),
  );
  return ancestor.content.codings.map((coding) => {
    if (coding.kind !== 'levels') return codeOf(coding);
    const codebook = codebookHere[coding.codebook]!;
    return codebook < 0 ? -1 : codeOf({ kind: 'levels', codebook });
  });
}
