const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const usualBytes = 64 * 1024;
/** No number or length needs more bytes. */
const longestNumber = 16;

/** Writes the binary form of protobuf, field by field, in the order of the calls. */
export class ProtobufWriter {
  readonly #firstBytes: number;
  #buffer: Buffer;
  #at = 0;

  constructor(firstBytes = usualBytes) {
    this.#firstBytes = firstBytes;
    this.#buffer = Buffer.allocUnsafe(firstBytes);
  }

  /** Returns what was written. The writer is empty afterwards. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#at);
    this.#buffer = Buffer.allocUnsafe(this.#firstBytes);
    this.#at = 0;
    return taken;
  }

  /** Writes a whole number that is not negative. */
  number(field: number, value: number): void {
    this.#tag(field, wire.varint);
    this.#varint(value);
  }

  /** Writes a signed number of 64 bits. */
  long(field: number, value: number): void {
    if (value >= 0) {
      this.number(field, value);
      return;
    }
    this.#tag(field, wire.varint);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[this.#at++] = Number(rest);
  }

  /**
   * Writes microseconds as nanoseconds. These do not fit into a JavaScript number, so both halves are computed
   * separately.
   */
  nanos(field: number, us: number): void {
    const low = (us % 2 ** 32) * 1000;
    this.#tag(field, wire.fixed64);
    this.#at = this.#buffer.writeUInt32LE(low % 2 ** 32, this.#at);
    this.#at = this.#buffer.writeUInt32LE(Math.floor(us / 2 ** 32) * 1000 + Math.floor(low / 2 ** 32), this.#at);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, wire.fixed32);
    this.#at = this.#buffer.writeUInt32LE(value, this.#at);
  }

  fixed64(field: number, value: number): void {
    this.#tag(field, wire.fixed64);
    this.#fixed64(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, wire.fixed64);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  fixed64s(field: number, values: readonly number[]): void {
    this.message(field, () => {
      for (const value of values) {
        this.#reserve(longestNumber);
        this.#fixed64(value);
      }
    });
  }

  doubles(field: number, values: readonly number[]): void {
    this.message(field, () => {
      for (const value of values) {
        this.#reserve(longestNumber);
        this.#at = this.#buffer.writeDoubleLE(value, this.#at);
      }
    });
  }

  text(field: number, value: string, encoding: "utf8" | "hex" = "utf8"): void {
    this.#tag(field, wire.bytes);
    const length = encoding === "hex" ? value.length / 2 : Buffer.byteLength(value);
    this.#varint(length);
    this.#reserve(length);
    this.#at += this.#buffer.write(value, this.#at, length, encoding);
  }

  /** Adds fields that were encoded before. */
  fields(written: Uint8Array): void {
    this.#reserve(written.length);
    this.#buffer.set(written, this.#at);
    this.#at += written.length;
  }

  message(field: number, write: () => void): void {
    this.#tag(field, wire.bytes);
    const start = this.#at;
    write();
    const length = this.#at - start;
    // The length comes before the content, but is known only now.
    const width = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5;
    this.#reserve(width);
    this.#buffer.copyWithin(start + width, start, this.#at);
    this.#at = start;
    this.#varint(length);
    this.#at += length;
  }

  /** Writes attributes. The list holds names and values alternately. */
  attributes(field: number, list: readonly unknown[]): void {
    for (let place = 0; place + 1 < list.length; place += 2) {
      const value = list[place + 1];
      this.message(field, () => {
        this.text(1, String(list[place]));
        this.message(2, () => {
          if (typeof value === "boolean") this.number(2, value ? 1 : 0);
          else if (typeof value !== "number") this.text(1, String(value));
          else if (Number.isSafeInteger(value)) this.long(3, value);
          else this.double(4, value);
        });
      });
    }
  }

  #tag(field: number, type: number): void {
    this.#reserve(2 * longestNumber);
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#buffer[this.#at++] = (rest % 128) | 0x80;
    this.#buffer[this.#at++] = rest;
  }

  #fixed64(value: number): void {
    this.#at = this.#buffer.writeUInt32LE(value % 2 ** 32, this.#at);
    this.#at = this.#buffer.writeUInt32LE(Math.floor(value / 2 ** 32), this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
