import type { Connection as Wire } from "pg";
import { LongText } from "./long-text.ts";

/**
 * The connection for one query whose values contain long texts. The library would send encoded bytes as binary values,
 * whose meaning depends on the column. Here all values are sent as text, like those that the library encodes itself.
 */
export function bindingLongTexts(wire: Wire): Wire {
  const bind = ({ values, valueMapper }: Bind) => {
    const given = values.map((value) => (value instanceof LongText ? value.bytes : bytesOf(valueMapper(value))));
    for (const part of bindMessage(given)) wire.stream.write(part);
  };
  // Everything else is inherited from the connection.
  const binding: Wire = Object.create(wire, { bind: { value: bind } });
  return binding;
}

/** What the library passes to `bind`. */
interface Bind {
  readonly values: readonly unknown[];
  /** Turns a value into its text. */
  readonly valueMapper: (value: unknown) => unknown;
}

const bytesOf = (text: unknown): Buffer | null => (typeof text === "string" ? Buffer.from(text) : null);

/** The message that binds values to the unnamed statement, in parts that need no copy of a long value. */
function bindMessage(values: readonly (Buffer | null)[]): Buffer[] {
  // Two empty names, then no format codes: all values are texts. Then the number of values.
  const head = Buffer.concat([Buffer.alloc(4), numberOf(values.length, 2)]);
  const parts = values.flatMap((value) => (value === null ? [numberOf(-1, 4)] : [numberOf(value.length, 4), value]));
  // No format codes: all results are texts too.
  const content = [head, ...parts, numberOf(0, 2)];
  const length = content.reduce((sum, part) => sum + part.length, 4);
  return [Buffer.from("B"), numberOf(length, 4), ...content];
}

function numberOf(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}
