import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GraphLimits } from './graph-limits.ts';
import { malformedGraph, readTag, readVarint, type WireCursor } from './wire-cursor.ts';

/** The required form of a known field on the wire. */
interface FieldRule {
  readonly wireType: WireType;
  /** A repeated number may also come packed, as one length-delimited field. */
  readonly packable: boolean;
  readonly message: DescMessage | undefined;
}

/** Counts so far, and their limits. */
interface ScanState {
  readonly limits: GraphLimits;
  readonly rules: Map<DescMessage, ReadonlyMap<number, FieldRule>>;
  fields: number;
  nodes: number;
  tensors: number;
}

/**
 * Walks the protobuf encoding of a model once, before anything is allocated for it: every length is inside its message,
 * every known field has its wire type, and nothing exceeds `limits`. After this check the decoder cannot run past a
 * message, recurse without end, or turn a small file into a large heap. Group fields (wire types 3 and 4), which ONNX
 * never uses, are refused. Cost: one step a field; byte strings are skipped. Errors: `graph-invalid`.
 */
export function checkWire(bytes: Uint8Array, schema: DescMessage, limits: GraphLimits): void {
  if (bytes.byteLength > limits.sizeBytes) throw refused(`The graph is larger than ${limits.sizeBytes} bytes.`);
  const state: ScanState = { limits, rules: new Map(), fields: 0, nodes: 0, tensors: 0 };
  scanMessage({ bytes, state, schema, depth: 1, start: 0, end: bytes.byteLength });
}

interface MessageSpan {
  readonly bytes: Uint8Array;
  readonly state: ScanState;
  readonly schema: DescMessage;
  readonly depth: number;
  readonly start: number;
  readonly end: number;
}

function scanMessage(span: MessageSpan): void {
  const { bytes, state, schema, depth, end } = span;
  countMessage(state, schema, depth);
  const rules = rulesOf(state, schema);
  const cursor: WireCursor = { bytes, at: span.start, end };
  while (cursor.at < end) {
    countFields(state, 1);
    const { number, wireType } = readTag(cursor);
    const rule = rules.get(number);
    const packed = rule !== undefined && rule.packable && wireType === WireType.LengthDelimited;
    if (rule !== undefined && !packed && rule.wireType !== wireType) throw malformedGraph();
    const body = skipValue(cursor, wireType);
    if (packed) countFields(state, cursor.at - body);
    if (rule?.message !== undefined)
      scanMessage({ bytes, state, schema: rule.message, depth: depth + 1, start: body, end: cursor.at });
  }
}

function countMessage(state: ScanState, schema: DescMessage, depth: number): void {
  const { limits } = state;
  if (depth > limits.depth) throw refused(`The graph nests deeper than ${limits.depth} messages.`);
  if (schema.typeName === 'onnx.NodeProto' && ++state.nodes > limits.nodes)
    throw refused(`The graph has more than ${limits.nodes} nodes.`);
  if (schema.typeName === 'onnx.TensorProto' && ++state.tensors > limits.tensors) {
    throw refused(`The graph has more than ${limits.tensors} tensors.`);
  }
}

function countFields(state: ScanState, count: number): void {
  state.fields += count;
  if (state.fields > state.limits.fields) throw refused(`The graph has more than ${state.limits.fields} fields.`);
}

/** Moves past a value and returns the start of its payload (after the length, if it has one). */
function skipValue(cursor: WireCursor, wireType: WireType): number {
  const start = cursor.at;
  switch (wireType) {
    case WireType.Varint:
      readVarint(cursor);
      return start;
    case WireType.Bit64:
      return advance(cursor, 8);
    case WireType.Bit32:
      return advance(cursor, 4);
    case WireType.LengthDelimited:
      return advance(cursor, readVarint(cursor));
    case WireType.StartGroup:
    case WireType.EndGroup:
      throw malformedGraph();
  }
}

function advance(cursor: WireCursor, lengthBytes: number): number {
  const start = cursor.at;
  if (lengthBytes > cursor.end - start) throw malformedGraph();
  cursor.at = start + lengthBytes;
  return start;
}

function rulesOf(state: ScanState, schema: DescMessage): ReadonlyMap<number, FieldRule> {
  let rules = state.rules.get(schema);
  if (rules === undefined) {
    rules = new Map(schema.fields.map((field) => [field.number, ruleOf(field)]));
    state.rules.set(schema, rules);
  }
  return rules;
}

function ruleOf(field: DescField): FieldRule {
  if (field.message !== undefined)
    return { wireType: WireType.LengthDelimited, packable: false, message: field.message };
  const wireType = wireTypeOf(field.scalar);
  return {
    wireType,
    packable: field.fieldKind === 'list' && wireType !== WireType.LengthDelimited,
    message: undefined,
  };
}

/** Every integer and enumeration field that onnx.proto declares is a varint. */
function wireTypeOf(scalar: ScalarType | undefined): WireType {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return WireType.LengthDelimited;
  if (scalar === ScalarType.FLOAT) return WireType.Bit32;
  return scalar === ScalarType.DOUBLE ? WireType.Bit64 : WireType.Varint;
}

function refused(message: string): FirnError {
  return new FirnError('graph-invalid', message);
}
