import { resolve } from "node:path";
import type { TSchema } from "typebox";
import { noChoice } from "../../contract/validate/schema-problems.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import { type ConfigPath, choiceMeant, type Objection, pathOf, pathText } from "../document/config-error.ts";
import { type ConfigShape, configShape, isPlainObject, shapeAt, type UnknownKey } from "../document/config-shape.ts";
import { hiddenValue, mayHoldSecret } from "../document/hidden-value.ts";

/**
 * Converts options to the form of their schema. Environment values are texts, so a port becomes a number. Relative
 * paths start at the configuration's folder, wherever the adapter was started.
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

/** Leaves a path on another machine unchanged. A sibling member shows that it is one. */
function here(shape: ConfigShape | undefined, owner: Record<string, unknown>): ConfigShape | undefined {
  if (shape?.unlessSibling === undefined || owner[shape.unlessSibling] === undefined) return shape;
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

/** People often forget the scheme. If it is missing, the rest of the address is probably right. */
function addressWords(found: string | undefined, isSecret: boolean): Pick<Objection, "text" | "hint"> {
  const bare = (found ?? "").replace(/^"|"$/g, "").trim();
  const isName = !isSecret && /^[\w.-]+(:\d+)?([/?][^\s"]*)?$/.test(bare);
  return {
    text: `${found ?? "this"} is not an address`,
    hint: `An address begins with http:// or https://${isName ? `, such as https://${bare}` : ""}.`,
  };
}

/** The schema errors of options; unknown options are reported elsewhere, together with the known ones. */
export function wrongOptions(
  schema: TSchema,
  options: unknown,
  isSecret: (path: ConfigPath) => boolean,
  unknown: readonly UnknownKey[] = [],
): Objection[] {
  const { isValid, problems } = validatorOf(schema);
  if (isValid(options)) return [];
  const unknownFields = new Set(unknown.map(({ path }) => pathText(path)));
  return problems(options)
    .filter(({ field }) => !unknownFields.has(field))
    .map((problem) => {
      const path = pathOf(problem.field);
      // A secret value is not shown, because errors end up in logs and tickets.
      const hidden = isSecret(path) ? "a value from outside the file" : mayHoldSecret(path) ? hiddenValue : null;
      const shown = { ...problem, field: "this", ...(hidden === null ? {} : { found: hidden }) };
      const member = shapeAt(configShape(schema), path);
      const hint = member?.description;
      if (problem.detail === "pattern" && isPath(member)) return { path, ...addressWords(shown.found, isSecret(path)) };
      const hinted = (hidden === null ? choiceMeant(problem) : "") + (hint ?? "");
      const why = hinted === "" ? {} : { hint: hinted };
      if (problem.detail === "pattern")
        return { path, text: `${shown.found} does not have the required format`, ...why };
      if (problem.detail === noChoice) return { path, text: `${shown.found} cannot be used here`, ...why };
      return { path, text: localise(problemText(shown), "en").replace(/^this:? /, ""), problem: shown, ...why };
    });
}

/** Compiled once per schema: a process may load hundreds of configurations. */
const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema) ?? validator(schema);
  validators.set(schema, known);
  return known;
}
