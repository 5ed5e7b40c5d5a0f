import { resolve } from "node:path";
import type { TSchema } from "typebox";
import { validator } from "../../contract/validate/validator.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import { type ConfigPath, type Objection, pathOf } from "../document/config-error.ts";
import { type ConfigShape, configShape, isPlainObject, shapeAt } from "../document/config-shape.ts";

/**
 * Options in the form their schema wants: the environment has texts only, so a port from there is made a number, and a
 * path is meant from the folder of the configuration, wherever the adapter was started.
 */
export function fitOptions(
  shape: ConfigShape | undefined,
  value: unknown,
  needs: { isFromOutside: (path: ConfigPath) => boolean; folder: string },
  path: ConfigPath = [],
): unknown {
  if (typeof value === "string") {
    if (shape?.relativeTo === "configuration") return isAddress(value) ? value : resolve(needs.folder, value);
    return needs.isFromOutside(path) ? plain(shape, value) : value;
  }
  if (Array.isArray(value)) return value.map((one, index) => fitOptions(shape?.items, one, needs, [...path, index]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      fitOptions(here(shape?.properties?.[name], value), member, needs, [...path, name]),
    ]),
  );
}

const isAddress = (text: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** A path of another machine is none of this one's: what stands beside it says so. */
function here(shape: ConfigShape | undefined, owner: Record<string, unknown>): ConfigShape | undefined {
  if (shape?.unlessBeside === undefined || owner[shape.unlessBeside] === undefined) return shape;
  const { relativeTo: _, ...elsewhere } = shape;
  return elsewhere;
}

function plain(shape: ConfigShape | undefined, text: string): unknown {
  const type = shape?.type;
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}

const isPath = (member: { readonly pattern?: string } | undefined) =>
  member?.pattern?.startsWith("^[Hh][Tt][Tt][Pp]") === true;

/** The beginning is what people leave out; with it, the rest is probably right. */
function addressWords(found: string | undefined, isSecret: boolean): Pick<Objection, "text" | "hint"> {
  const bare = (found ?? "").replace(/^"|"$/g, "").trim();
  const isName = !isSecret && /^[\w.-]+(:\d+)?([/?][^\s"]*)?$/.test(bare);
  return {
    text: `${found ?? "this"} is no address`,
    hint: `An address begins with http:// or https://${isName ? `, such as https://${bare}` : ""}.`,
  };
}

/** What a schema has against options; unknown ones are told elsewhere, with those that are known. */
export function wrongOptions(schema: TSchema, options: unknown, isSecret: (path: ConfigPath) => boolean): Objection[] {
  const { isValid, problems } = validator(schema);
  if (isValid(options)) return [];
  return problems(options)
    .filter(({ detail }) => detail !== "additionalProperties")
    .map((problem) => {
      const path = pathOf(problem.field);
      // The value itself is nobody's business: an error ends up in logs and tickets.
      const shown = isSecret(path)
        ? { ...problem, field: "this", found: "a value from outside the file" }
        : { ...problem, field: "this" };
      const member = shapeAt(configShape(schema), path);
      const hint = member?.description;
      if (problem.detail === "pattern" && isPath(member)) return { path, ...addressWords(shown.found, isSecret(path)) };
      return {
        path,
        text:
          problem.detail === "pattern"
            ? `${shown.found} does not have the form it needs`
            : localise(problemText(shown), "en").replace(/^this:? /, ""),
        ...(hint === undefined ? {} : { hint }),
      };
    });
}
