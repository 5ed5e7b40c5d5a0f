import type { TSchema } from "typebox";
import { validator } from "../contract/validator.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import { type ConfigPath, type Objection, pathOf } from "./config-error.ts";
import { configShape, shapeAt } from "./config-shape.ts";

const isAddress = (member: { readonly pattern?: string } | undefined) =>
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
      if (problem.detail === "pattern" && isAddress(member))
        return { path, ...addressWords(shown.found, isSecret(path)) };
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
