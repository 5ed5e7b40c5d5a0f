import { isIdentifier } from "../../contract/schemas/parts.ts";
import { itemSchema, requestLineSchema, workOrderSchema } from "../../contract/schemas/work-order.ts";
import type { Preview } from "../../sdk/connector.ts";

const identifiers: ReadonlySet<string> = new Set(
  [workOrderSchema, requestLineSchema, itemSchema].flatMap(({ properties }) =>
    Object.entries(properties).flatMap(([name, schema]) => (isIdentifier(schema) ? [name] : [])),
  ),
);

/**
 * Warns about identifiers with blanks at their ends, as columns of a fixed length have them. The adapter keeps what it
 * gets: scanned codes and pushes without these blanks are then other names.
 */
export function blankWarnings(previews: readonly Preview[]): readonly string[] {
  const byField = new Map<string, string>();
  const look = (value: unknown, preview: Preview, path: string) => {
    if (Array.isArray(value)) value.forEach((element, index) => void look(element, preview, `${path}[${index}]`));
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const field = path === "" ? name : `${path}.${name}`;
        if (typeof member !== "string") look(member, preview, field);
        else if (identifiers.has(name) && member.trim() !== member && !byField.has(name))
          byField.set(name, warning(preview, field, member));
      }
    }
  };
  for (const preview of previews) look(preview.mapped, preview, "");
  return [...byField.values()];
}

function warning({ serves, sourceOf }: Preview, field: string, value: string): string {
  const source = sourceOf(field);
  const from = source === undefined ? "" : ` (from ${source})`;
  return `${serves}: ${field}${from} is ${JSON.stringify(value)}, with blanks at its ends: a name without them is another one. Write \`trim: true\` in the rule of this member`;
}
