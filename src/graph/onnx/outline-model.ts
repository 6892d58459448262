import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GraphLimits } from './graph-limits.ts';
import type { GraphSource } from './graph-source.ts';
import { ModelProtoSchema, TensorProtoSchema } from './onnx_pb.ts';
import { OutlineWriter } from './outline-writer.ts';
import { writePayloadReference } from './payload-reference.ts';
import { malformedGraph, readTag, readVarint, type WireCursor } from './wire-cursor.ts';
import { WireWindow } from './wire-window.ts';

export interface OutlineOptions {
  readonly limits: GraphLimits;
  readonly signal?: AbortSignal;
}

/**
 * The bytes of a model in which the data of tensors are replaced by references to their places in the file
 * (payload-reference.ts). Fields unknown to our part of onnx.proto are left out. The file is walked once, and payloads
 * are skipped unread, so it costs the size of the structure, at most `limits.outlineBytes`, and one step per field.
 * {@link readModel} checks whether the result is a model. Errors: `graph-invalid` (malformed, or over a limit), the
 * source's errors.
 */
export async function outlineModel(source: GraphSource, { limits, signal }: OutlineOptions): Promise<Uint8Array> {
  if (source.sizeBytes > limits.sizeBytes)
    throw new FirnError('graph-invalid', `The graph is larger than ${limits.sizeBytes} bytes.`);
  const walk: Walk = {
    limits,
    window: new WireWindow(source, signal),
    writer: new OutlineWriter(limits.outlineBytes),
    fields: 0,
    rules: new Map(),
  };
  await outlineMessage(walk, { schema: ModelProtoSchema, endBytes: source.sizeBytes, depth: 1 });
  return walk.writer.finish();
}

interface Walk {
  readonly limits: GraphLimits;
  readonly window: WireWindow;
  readonly writer: OutlineWriter;
  /** Fields counted so far. */
  fields: number;
  readonly rules: Map<DescMessage, ReadonlyMap<number, FieldRule>>;
}

/** How a known field is treated: copied, replaced by a reference, or walked because it may contain tensors. */
type FieldRule = 'copy' | 'refer' | DescMessage;

interface MessagePlace {
  readonly schema: DescMessage;
  readonly endBytes: number;
  readonly depth: number;
}

async function outlineMessage(walk: Walk, { schema, endBytes, depth }: MessagePlace): Promise<void> {
  const { window, limits } = walk;
  if (depth > limits.depth)
    throw new FirnError('graph-invalid', `The graph nests deeper than ${limits.depth} messages.`);
  const rules = rulesOf(walk, schema);
  while (window.at < endBytes) {
    if (++walk.fields > limits.fields)
      throw new FirnError('graph-invalid', `The graph has more than ${limits.fields} fields.`);
    if (!window.holdsFieldHead) await window.load();
    const field = readFieldHead(window, endBytes);
    const rule = rules.get(field.number);
    const waiting = rule === undefined ? undefined : outlineField(walk, field, rule, depth);
    if (waiting !== undefined) await waiting;
    window.at = field.endBytes;
  }
}

interface FieldPlace {
  readonly number: number;
  readonly wireType: WireType;
  readonly startBytes: number;
  /** Start of its value, after the length; for a number, the end of the value. */
  readonly valueBytes: number;
  readonly endBytes: number;
}

/** Reads a tag and finds the value's end, which is inside the message. */
function readFieldHead(window: WireWindow, messageEndBytes: number): FieldPlace {
  const startBytes = window.at;
  const cursor = window.cursor(messageEndBytes);
  const { number, wireType } = readTag(cursor);
  const lengthBytes = readLength(cursor, wireType);
  window.follow(cursor);
  const valueBytes = window.at;
  const endBytes = valueBytes + lengthBytes;
  if (endBytes > messageEndBytes) throw malformedGraph();
  return { number, wireType, startBytes, valueBytes, endBytes };
}

/** Rest of the value after the cursor, in bytes: the cursor stops after a length, and after a number. */
function readLength(cursor: WireCursor, wireType: WireType): number {
  switch (wireType) {
    case WireType.LengthDelimited:
      return readVarint(cursor);
    case WireType.Varint:
      readVarint(cursor);
      return 0;
    case WireType.Bit64:
      return 8;
    case WireType.Bit32:
      return 4;
    case WireType.StartGroup:
    case WireType.EndGroup:
      throw malformedGraph();
  }
}

/** Returns a promise only if it has to wait: most fields are small and in the window. */
function outlineField(walk: Walk, field: FieldPlace, rule: FieldRule, depth: number): Promise<void> | undefined {
  if (rule === 'copy') return copyField(walk, field);
  if (field.wireType !== WireType.LengthDelimited) throw malformedGraph();
  walk.writer.append(tagBytes(field));
  if (rule !== 'refer') return outlineInner(walk, { schema: rule, endBytes: field.endBytes, depth: depth + 1 });
  const lengthBytes = field.endBytes - field.valueBytes;
  const place = walk.writer.beginLength();
  if (lengthBytes > 0) walk.writer.append(writePayloadReference({ startBytes: field.valueBytes, lengthBytes }));
  walk.writer.endLength(place);
  return undefined;
}

function copyField({ window, writer }: Walk, { startBytes, endBytes }: FieldPlace): Promise<void> | undefined {
  writer.reserve(endBytes - startBytes);
  const whole = window.view(startBytes, endBytes);
  if (whole === undefined) return window.copy(startBytes, endBytes, (piece) => writer.append(piece));
  writer.append(whole);
  return undefined;
}

async function outlineInner(walk: Walk, message: MessagePlace): Promise<void> {
  const place = walk.writer.beginLength();
  await outlineMessage(walk, message);
  walk.writer.endLength(place);
}

/** The tag of a known field; field numbers are below 2048, so it takes at most two bytes. */
function tagBytes({ number, wireType }: FieldPlace): Uint8Array {
  const tag = (number << 3) | wireType;
  return tag < 0x80 ? Uint8Array.of(tag) : Uint8Array.of((tag & 0x7f) | 0x80, tag >> 7);
}

function rulesOf(walk: Walk, schema: DescMessage): ReadonlyMap<number, FieldRule> {
  let rules = walk.rules.get(schema);
  if (rules === undefined) {
    rules = new Map(schema.fields.map((field) => [field.number, ruleOf(field)]));
    walk.rules.set(schema, rules);
  }
  return rules;
}

function ruleOf(field: DescField): FieldRule {
  if (field.message !== undefined) return holdsTensors(field.message, new Set()) ? field.message : 'copy';
  return field.scalar === ScalarType.BYTES ? 'refer' : 'copy';
}

function holdsTensors(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (schema === TensorProtoSchema) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some((field) => field.message !== undefined && holdsTensors(field.message, seen));
}
