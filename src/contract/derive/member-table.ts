import { enumNameOf } from "./component-registry.ts";
import { choicesOf, isRequired, type Shape, typesOf } from "./shape.ts";

/** The members of an object as a Markdown table. */
export function memberTable(shape: Shape): string {
  const lines = Object.entries(shape.properties ?? {}).map(
    ([name, member]) =>
      `| ${name} | ${typeText(member)} | ${isRequired(shape, name) ? "yes" : "no"} | ${meaning(member)} |`,
  );
  const choices = choicesOf(shape).map((name) => `\`${name}\``);
  const rule =
    choices.length === 0 ? [] : ["", `At least one of ${choices.join(" and ")} must be present and not null.`];
  return ["| Member | Type | Required | Meaning |", "|---|---|---|---|", ...lines, ...rule].join("\n");
}

/** The type in words, with links to what has a name. */
export function typeText(shape: Shape): string {
  const enumName = enumNameOf(shape);
  if (enumName !== null) return link(enumName);
  if (shape.items !== undefined) return `list of ${typeText(shape.items)}`;
  if (shape.title !== undefined) return link(shape.title);
  if (shape.additionalProperties !== undefined) return `map of text to ${typeText(shape.additionalProperties)}`;
  const words = typesOf(shape).map((type) => (type === "array" ? "list" : type === "integer" ? "whole number" : type));
  return `${words.join(" or ")}${shape.format === undefined ? "" : ` (${shape.format})`}`;
}

function meaning(shape: Shape): string {
  const limits = [
    // The lower bound that all numbers have stands in the table of limits.
    shape.minimum === undefined || shape.minimum === -(shape.maximum ?? 0) ? "" : `At least ${shape.minimum}.`,
    shape.minLength === undefined ? "" : "Not empty.",
    shape.minItems === undefined ? "" : "Not empty.",
    shape.maxLength === undefined ? "" : `At most ${inWords(shape.maxLength)} characters.`,
    shape.maxItems === undefined ? "" : `At most ${inWords(shape.maxItems)} elements.`,
    shape.maxProperties === undefined ? "" : `At most ${inWords(shape.maxProperties)} members.`,
  ];
  return [shape.description ?? "", ...limits].filter((text) => text !== "").join(" ");
}

const inWords = (limit: number): string => limit.toLocaleString("en");

const link = (title: string): string => `[${title}](#${title.toLowerCase()})`;
