import type { SpanOptions } from "../../../kit/tracing/tracing.ts";
import type { Id, SpanRecord } from "../span-record.ts";
import { flagsOf, kindNumber } from "./encoder.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** The resource and the scope stand before the spans, with lengths that are known only when a message is taken. */
const frontBytes = 16;
const firstBytes = 32 * 1024;
/** Ids, times, flags, and the tags of everything: all of a span except its texts. */
const plainBytes = 128;
/** Names and texts that together are not longer have lengths of one byte. */
const mostShort = 100;
/** Limit of attribute names, and of values of each, that are remembered encoded. */
const mostKnown = 64;
/** Longer texts are ids, which do not come again: looking for them costs more than writing them. */
const longestKnown = 24;
const isOnce = (value: unknown): boolean => typeof value === "string" && value.length > longestKnown;
/** The length of a span has this many bytes, unless it is very short or very long. */
const usualLengthBytes = 2;

/**
 * Writes each span as protobuf when it ends. Spans that waited for their batch as objects would cost the garbage
 * collector more than writing them. The numbers are field numbers and wire types of the specification.
 */
export class SpanBytes {
  #bytes: Buffer<ArrayBuffer>;
  #view: DataView;
  #at: number;
  /** Where the first span begins. */
  readonly #front: number;
  /** The fields of the resource and the scope, each with its tag and length. */
  readonly #head: { readonly resource: Buffer; readonly scope: Buffer };
  readonly #shared = new WeakMap<SpanOptions, Buffer>();
  /** Encoded names of attributes. */
  readonly #begins = new Map<string, Buffer>();
  /** Encoded attributes by name and value. */
  readonly #known = new Map<string, Map<string | number | boolean, Buffer>>();
  readonly #writer = new ProtobufWriter(512);

  constructor(head: { readonly resource: Buffer; readonly scope: Buffer }) {
    this.#head = head;
    this.#front = head.resource.length + head.scope.length + frontBytes;
    this.#bytes = Buffer.allocUnsafeSlow(firstBytes);
    this.#view = new DataView(this.#bytes.buffer);
    this.#at = this.#front;
  }

  /** Returns the message with all spans since the last call. */
  take(): Buffer {
    const { resource, scope } = this.#head;
    const spans = this.#at - this.#front;
    const inner = lengthField(0x12, scope.length + spans);
    const outer = lengthField(0x0a, resource.length + inner.length + scope.length + spans);
    const front = Buffer.concat([outer, resource, inner, scope]);
    const start = this.#front - front.length;
    front.copy(this.#bytes, start);
    const taken = this.#bytes.subarray(start, this.#at);
    // The next batch is about as long: a buffer that has to grow is copied.
    this.#resize(Math.max(firstBytes, this.#at + (this.#at >> 3)), 0);
    this.#at = this.#front;
    return taken;
  }

  add(span: SpanRecord): void {
    const shared = this.#sharedOf(span.options);
    this.#reserve(plainBytes + shared.length);
    this.#bytes[this.#at] = 0x12;
    const start = this.#at + 1 + usualLengthBytes;
    this.#at = start;
    this.#id(0x0a, span.trace, 16);
    this.#id(0x12, span.id, 8);
    if (span.parentId !== null) this.#id(0x22, span.parentId, 8);
    this.#nanos(0x39, span.startUs);
    this.#nanos(0x41, span.endUs);
    this.#bytes.set(shared, this.#at);
    this.#at += shared.length;
    if (span.own !== null) this.#attributes(span.own);
    if (span.state !== "" || span.failure !== "" || span.dropped > 0) this.#rare(span);
    this.#bytes[this.#at++] = 0x85;
    this.#bytes[this.#at++] = 0x01;
    this.#view.setUint32(this.#at, flagsOf(span), true);
    this.#at += 4;
    this.#length(start);
  }

  /** Writes the length of what began there, into the place left for it. */
  #length(start: number): void {
    const length = this.#at - start;
    if (length < 0x80 || length >= 0x4000) {
      this.#moved(start, length);
      return;
    }
    this.#bytes[start - 2] = (length & 0x7f) | 0x80;
    this.#bytes[start - 1] = length >> 7;
  }

  #moved(start: number, length: number): void {
    const field = lengthField(0x12, length);
    this.#reserve(field.length);
    const from = start - usualLengthBytes - 1;
    this.#bytes.copyWithin(from + field.length, start, this.#at);
    field.copy(this.#bytes, from);
    this.#at = from + field.length + length;
  }

  #rare({ state, failure, dropped }: SpanRecord): void {
    const writer = this.#writer;
    if (state !== "") writer.text(3, state);
    if (failure !== "") writer.attributes(9, ["error.type", failure]);
    if (dropped > 0) writer.number(10, dropped);
    if (failure !== "") writer.message(15, () => writer.number(3, 2));
    this.#copy(writer.take());
  }

  /** The list holds names and values alternately. */
  #attributes(list: readonly (string | number | boolean)[]): void {
    for (let place = 0; place + 1 < list.length; place += 2) {
      const name = String(list[place]);
      const value = list[place + 1] ?? "";
      const known = isOnce(value) ? undefined : this.#known.get(name)?.get(value);
      if (known !== undefined) this.#copy(known);
      else if (typeof value !== "string" || !this.#text(name, value)) this.#copy(this.#attribute(name, value));
    }
  }

  /** Writes a short text of ASCII characters, such as an id. Returns false if it is another one. */
  #text(name: string, value: string): boolean {
    const length = name.length + value.length;
    if (length > mostShort) return false;
    // A character takes at most three bytes.
    this.#reserve(3 * length + plainBytes);
    const bytes = this.#bytes;
    const begin = this.#beginOf(name);
    let at = this.#at;
    bytes[at++] = 0x4a;
    bytes[at++] = length + 6;
    bytes.set(begin, at);
    at += begin.length;
    bytes[at++] = value.length + 2;
    bytes[at++] = 0x0a;
    bytes[at++] = value.length;
    if (bytes.write(value, at) !== value.length) return false;
    this.#at = at + value.length;
    return true;
  }

  /** The encoded name of an attribute, with the tag of its value. Names are few and come from our own code. */
  #beginOf(name: string): Buffer {
    const known = this.#begins.get(name);
    if (known !== undefined) return known;
    const begin = Buffer.from([0x0a, name.length, ...Buffer.from(name), 0x12]);
    if (this.#begins.size < mostKnown) this.#begins.set(name, begin);
    return begin;
  }

  /** Encodes an attribute, and remembers it as long as few values of its name are known. */
  #attribute(name: string, value: string | number | boolean): Buffer {
    this.#writer.attributes(9, [name, value]);
    const written = this.#writer.take();
    if (isOnce(value)) return written;
    let known = this.#known.get(name);
    if (known === undefined && this.#known.size < mostKnown) {
      known = new Map();
      this.#known.set(name, known);
    }
    if (known !== undefined && known.size < mostKnown) known.set(value, written);
    return written;
  }

  /** What all spans of a kind have in common: name, kind and attributes. */
  #sharedOf(options: SpanOptions): Buffer {
    const known = this.#shared.get(options);
    if (known !== undefined) return known;
    const { name, kind, fixed = {} } = options;
    this.#writer.text(5, name);
    this.#writer.number(6, kindNumber[kind]);
    this.#writer.attributes(9, Object.entries(fixed).flat());
    const written = this.#writer.take();
    this.#shared.set(options, written);
    return written;
  }

  #id(tag: number, { bytes: from, at: first }: Id, length: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = tag;
    bytes[at++] = length;
    // Copied one by one: for so few bytes, a call of `set` costs more.
    for (let place = first; place < first + length; place++) bytes[at++] = from[place] ?? 0;
    this.#at = at;
  }

  /** Microseconds as nanoseconds, which do not fit into a number: both halves are computed separately. */
  #nanos(tag: number, us: number): void {
    const high = Math.floor(us / 2 ** 32);
    const low = (us - high * 2 ** 32) * 1000;
    const carry = Math.floor(low / 2 ** 32);
    this.#bytes[this.#at] = tag;
    this.#view.setUint32(this.#at + 1, low - carry * 2 ** 32, true);
    this.#view.setUint32(this.#at + 5, high * 1000 + carry, true);
    this.#at += 9;
  }

  #copy(written: Buffer): void {
    this.#reserve(written.length + plainBytes);
    this.#bytes.set(written, this.#at);
    this.#at += written.length;
  }

  #reserve(count: number): void {
    if (this.#at + count > this.#bytes.length) this.#resize(2 * (this.#at + count), this.#at);
  }

  #resize(length: number, kept: number): void {
    const before = this.#bytes;
    this.#bytes = Buffer.allocUnsafeSlow(length);
    this.#view = new DataView(this.#bytes.buffer);
    before.copy(this.#bytes, 0, 0, kept);
  }
}

/** A field that contains others: its tag and its length. */
function lengthField(tag: number, length: number): Buffer {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
