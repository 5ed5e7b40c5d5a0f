import { exampleKeys, exampleValues } from "./example-values.ts";
import { choicesOf, isNullable, isRequired, type Shape, typesOf } from "./shape.ts";

export type Fullness =
  /** Required members only. */
  | "minimal"
  /** Every member. */
  | "full"
  /** Every member, null wherever null is allowed. */
  | "nulls"
  /** Every member, and at every level one that nobody knows. */
  | "unknown";

/** A value that fits the schema. The same schema and fullness always give the same value. */
export function sampleValue(shape: Shape, fullness: Fullness, name = ""): unknown {
  const type = typesOf(shape)[0] ?? "string";
  if (type === "array") return [sampleValue(shape.items ?? { type: "string" }, fullness, name)];
  if (type === "object")
    return shape.properties === undefined ? sampleMap(shape, fullness, name) : sampleObject(shape, fullness);
  if (Object.hasOwn(exampleValues, name)) return exampleValues[name];
  const plainName = name.slice(name.indexOf(".") + 1);
  if (Object.hasOwn(exampleValues, plainName)) return exampleValues[plainName];
  if (shape.enum !== undefined) return shape.enum[0];
  if (type === "string") return shape.format === "date-time" ? "2026-03-02T16:00:00Z" : plainName || "text";
  return type === "boolean" ? true : Math.max(1, shape.minimum ?? 1);
}

function sampleObject(shape: Shape, fullness: Fullness): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  // One choice has to be filled even where everything else is left out or null.
  const choice = choicesOf(shape)[0];
  for (const [member, memberShape] of Object.entries(shape.properties ?? {})) {
    const needed = isRequired(shape, member) || member === choice;
    if (fullness === "minimal" && !needed) continue;
    object[member] =
      fullness === "nulls" && !needed && isNullable(memberShape)
        ? null
        : sampleValue(memberShape, fullness, `${shape.title ?? ""}.${member}`);
  }
  if (fullness === "unknown") object["x_member_of_tomorrow"] = { kept: [true, null, "as it came"] };
  return object;
}

function sampleMap(shape: Shape, fullness: Fullness, name: string): Record<string, unknown> {
  if (shape.additionalProperties === undefined) return {};
  const plainName = name.slice(name.indexOf(".") + 1);
  return { [exampleKeys[plainName] ?? "key"]: sampleValue(shape.additionalProperties, fullness, plainName) };
}
