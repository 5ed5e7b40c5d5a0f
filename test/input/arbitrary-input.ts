import fc from "fast-check";
import type { TSchema } from "typebox";
import { isNullable, isRequired, type Shape, shapeOf, typesOf } from "../../src/contract/derive/component-registry.ts";
import type { SampleId } from "../../src/contract/derive/samples.ts";
import { type OperationId, operationRow } from "../../src/contract/operations.ts";
import { type PushTopic, pushes, pushRow } from "../../src/contract/pushes.ts";

export interface ArbitraryInput {
  readonly params?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
}

/** Any valid input of a row or a push: every text, every amount, members absent, null or unknown. */
export function arbitraryInput(id: SampleId): fc.Arbitrary<ArbitraryInput> {
  if (isPush(id)) {
    const element = anyValue(shapeOf(pushRow(id).element));
    return fc.record({ body: fc.oneof(element, fc.array(element, { minLength: 1, maxLength: 3 })) });
  }
  const { body } = operationRow(id);
  const address = arbitraryAddress(id);
  if (body === undefined) return address;
  return fc.tuple(address, anyValue(shapeOf(body))).map(([given, value]) => ({ ...given, body: value }));
}

/** The same without its body, which takes the most time to make up. */
export function arbitraryAddress(id: OperationId): fc.Arbitrary<ArbitraryInput> {
  const { params, query } = operationRow(id);
  // Path and query carry no null, so members that allow it are texts here.
  const texts = (schema: TSchema) =>
    fc.record(
      Object.fromEntries(
        Object.entries(shapeOf(schema).properties ?? {}).map(([name, { minLength = 0 }]) => [
          name,
          fc.string({ unit: "grapheme", minLength }),
        ]),
      ),
    );
  return fc.record({
    ...(params === undefined ? {} : { params: texts(params) }),
    ...(query === undefined ? {} : { query: texts(query) }),
  });
}

/** A valid body in which one place was replaced by anything JSON can say. Mostly invalid, always well-formed. */
export function arbitraryMangledBody(id: SampleId): fc.Arbitrary<unknown> {
  return fc
    .tuple(arbitraryInput(id), fc.jsonValue(), fc.array(fc.nat({ max: 30 }), { maxLength: 4 }))
    .map(([{ body }, stranger, path]) => mangle(body, stranger, path));
}

const isPush = (id: SampleId): id is PushTopic & Exclude<SampleId, OperationId> => Object.hasOwn(pushes, id);

function mangle(value: unknown, stranger: unknown, path: readonly number[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return stranger;
  if (Array.isArray(value)) {
    return value.length === 0
      ? stranger
      : value.with(step % value.length, mangle(value[step % value.length], stranger, rest));
  }
  const names = Object.keys(value);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return stranger;
  const inner: unknown = Object.entries(value)[step % names.length]?.[1];
  return { ...value, [name]: mangle(inner, stranger, rest) };
}

function anyValue(shape: Shape): fc.Arbitrary<unknown> {
  const filled = fc.oneof(...typesOf(shape).map((type) => ofType(shape, type)));
  return isNullable(shape) ? fc.option(filled, { freq: 4 }) : filled;
}

function ofType(shape: Shape, type: string): fc.Arbitrary<unknown> {
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum.filter((value) => value !== null));
  const min = shape.minimum ?? -1_000_000;
  if (type === "integer") return fc.integer({ min, max: 1_000_000_000 });
  if (type === "number")
    return fc
      .double({ min, max: Math.min(shape.maximum ?? 1e12, 1e12), noNaN: true })
      .map((value) => (Object.is(value, -0) ? 0 : value));
  if (type === "boolean") return fc.boolean();
  if (type === "array") {
    const elements = shape.items === undefined ? fc.jsonValue() : anyValue(shape.items);
    return fc.array(elements, { minLength: shape.minItems ?? 0, maxLength: 3 });
  }
  if (type === "object") return objectOf(shape);
  if (shape.format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return fc.string({ unit: "grapheme", minLength: shape.minLength ?? 0, maxLength: 40 });
}

function objectOf(shape: Shape): fc.Arbitrary<unknown> {
  if (shape.properties === undefined) {
    const values = shape.additionalProperties === undefined ? fc.jsonValue() : anyValue(shape.additionalProperties);
    return fc.dictionary(fc.string({ maxLength: 20 }), values, { maxKeys: 3, noNullPrototype: true });
  }
  const members = Object.entries(shape.properties);
  // The first choice is always filled: which of them it is makes no difference to anyone.
  const needed = new Set([...members.map(([name]) => name).filter((name) => isRequired(shape, name)), choiceOf(shape)]);
  const known = fc.record(
    Object.fromEntries(
      members.map(([name, member]) => {
        const value = anyValue(member);
        return [name, needed.has(name) ? value.filter((found) => found !== null) : value];
      }),
    ),
    { requiredKeys: members.map(([name]) => name).filter((name) => needed.has(name)) },
  );
  const unknown = fc.dictionary(
    fc.string({ maxLength: 8 }).map((name) => `x-${name}`),
    fc.jsonValue(),
    { maxKeys: 1 },
  );
  return fc.tuple(known, unknown).map(([own, more]) => ({ ...own, ...more }));
}

const choiceOf = (shape: Shape): string | undefined => shape.anyOf?.[0]?.required[0];
