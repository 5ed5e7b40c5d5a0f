import { derivedEventIds, derivedEvents } from "../derived-events.ts";

/** Plain JSON Schema, which the declared type of a schema hides. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The page about the events that the adapter derives. */
export function derivedReference(): string {
  const parts = derivedEventIds.map((id) => {
    const { summary, body } = derivedEvents[id];
    // Every schema of the contract is plain JSON Schema.
    const rows = rowsOf(body as unknown as Shape, "");
    return [`## ${id}`, "", summary, "", "| Member | Type | Meaning |", "|---|---|---|", ...rows].join("\n");
  });
  return [
    "<!-- Generated from src/contract/derived-events.ts by npm run generate. -->",
    "",
    "# Events that the adapter derives",
    "",
    "They are not in the contract: the adapter derives them from its ledger, for systems that book at the end. How to send them:",
    "[order finished, container finished](../how-to/connect-rest.md#order-finished-container-finished).",
    "",
    ...parts.flatMap((part) => [part, ""]),
  ].join("\n");
}

function rowsOf({ properties = {} }: Shape, before: string): string[] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const path = `${before}${name}`;
    const types = [shape.type ?? "object"].flat().join(" or ");
    const inner = shape.items === undefined ? rowsOf(shape, `${path}.`) : rowsOf(shape.items, `${path}[].`);
    return [`| \`${path}\` | ${types} | ${shape.description ?? ""} |`, ...inner];
  });
}
