import { layerTypes } from '../checkpoint/layer-type.ts';
import { stateForms } from '../checkpoint/state-form.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { corruptPackage } from './corrupt-package.ts';
import type { FormatVersion, PackageCodebook, SafetensorsContent, TensorCoding } from './package-index.ts';

/** The same tensors' codings in the ancestor, and the codebooks they refer to there. */
export interface AncestorCodings {
  readonly content: SafetensorsContent;
  readonly codebooks: readonly PackageCodebook[];
}

/** Writes one coding per tensor as runs, or as one zero byte when all are the ancestor's (docs/format.md, "Codings"). */
export function writeCodings(
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

/** Reads what `writeCodings` wrote, for `tensorCount` tensors; what first moments lie beside is told by `readBesides`. Throws `corrupt-package`. */
export function readCodings(
  reader: ByteReader,
  tensorCount: number,
  { codebooks, formatVersion }: { readonly codebooks: readonly PackageCodebook[]; readonly formatVersion: FormatVersion },
  ancestor: AncestorCodings | undefined,
): TensorCoding[] {
  const context = { codebookCount: codebooks.length, formatVersion };
  const runCount = reader.varint(tensorCount, 'the number of coding runs');
  if (runCount === 0 && tensorCount > 0) {
    if (ancestor === undefined || ancestor.content.codings.length !== tensorCount)
      throw corruptPackage('codings are inherited from an ancestor that does not have them');
    return translate(ancestor, codebooks).map((code) => codingOf(code, context));
  }
  const codings: TensorCoding[] = [];
  for (let run = 0; run < runCount; run++) {
    const coding = codingOf(reader.u8(), context);
    const length = reader.varint(tensorCount - codings.length, 'the length of a coding run');
    if (length === 0) throw corruptPackage('a coding run is empty');
    for (let i = 0; i < length; i++) codings.push(coding);
  }
  if (codings.length !== tensorCount) throw corruptPackage('coding runs do not cover all tensors');
  return codings;
}

interface CodingContext {
  readonly codebookCount: number;
  readonly formatVersion: FormatVersion;
}

/** Above every codebook number a package can have. */
const residualCode = 32;
/** Of the first of `stateForms`. */
const stateCode = 33;

/** 0..5: exact, by layer type; from 6: levels, by codebook; 32: residual; from 33: state, by form. */
function codeOf(coding: TensorCoding): number {
  if (coding.kind === 'state') return stateCode + stateForms.indexOf(coding.form);
  if (coding.kind === 'residual') return residualCode;
  return coding.kind === 'exact' ? layerTypes.indexOf(coding.layerType) : layerTypes.length + coding.codebook;
}

function codingOf(code: number, { codebookCount, formatVersion }: CodingContext): TensorCoding {
  if (code === residualCode && formatVersion >= 2) return { kind: 'residual' };
  const form = formatVersion === 4 ? stateForms[code - stateCode] : undefined;
  if (form !== undefined) return form === 'firstMoment' ? { kind: 'state', form, beside: -1 } : { kind: 'state', form };
  const layerType = layerTypes[code];
  if (layerType !== undefined) return { kind: 'exact', layerType };
  const codebook = code - layerTypes.length;
  if (codebook < 0 || codebook >= codebookCount) throw corruptPackage('a tensor refers to a codebook that is not there');
  return { kind: 'levels', codebook };
}

/** The ancestor's codings as codes of this package; -1 where this package lacks the codebook. */
function translate(ancestor: AncestorCodings, codebooks: readonly PackageCodebook[]): number[] {
  const codebookHere = ancestor.codebooks.map((there) => codebooks.findIndex((here) => here.layerType === there.layerType && here.dtype === there.dtype));
  return ancestor.content.codings.map((coding) => {
    if (coding.kind !== 'levels') return codeOf(coding);
    const codebook = codebookHere[coding.codebook]!;
    return codebook < 0 ? -1 : codeOf({ kind: 'levels', codebook });
  });
}
