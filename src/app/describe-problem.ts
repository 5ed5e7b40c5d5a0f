import type { Problem } from "../contract/validator.ts";
import { nearestName } from "../kit/nearest-name.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import type { ConfigDocument } from "./config-document.ts";
import { type ConfigProblem, didYouMean, type Objection, pathOf, pathText } from "./config-error.ts";
import { type ConfigShape, shapeAt, type UnknownKey } from "./config-shape.ts";

/** Words and place for whatever the checks of a configuration file found. */
export function describeProblem({
  document,
  source,
  shape,
}: {
  document: ConfigDocument;
  source: string;
  shape: ConfigShape;
}) {
  return {
    unknown: ({ path, allowed }: UnknownKey): ConfigProblem => ({
      source,
      ...document.place(path, "key"),
      text: `${pathText(path)}: there is no such setting`,
      hint: `${didYouMean(nearestName(String(path.at(-1)), allowed))}Known here: ${allowed.join(", ")}.`,
    }),
    wrong: (problem: Problem): ConfigProblem => {
      const path = pathOf(problem.field);
      const member = shapeAt(shape, path);
      return { source, ...document.place(path), text: sentence(problem, member), ...hintFor(member) };
    },
    objection: ({ path, text, hint }: Objection): ConfigProblem => ({
      source,
      ...document.place(path),
      text: `${pathText(path)}: ${text}`,
      ...(hint === undefined ? {} : { hint }),
    }),
  };
}

function sentence(problem: Problem, member: ConfigShape | undefined): string {
  const { expected, detail, field, found } = problem;
  if (expected === "valid" && detail === "maximum") return `${field}: must be ${member?.maximum} or less, not ${found}`;
  if (expected === "valid" && detail === "pattern") return `${field}: ${found} does not have the form it needs`;
  return localise(problemText({ ...problem, field: field === "" ? "the file" : field }), "en");
}

function hintFor(member: ConfigShape | undefined): { hint?: string } {
  if (member?.description === undefined) return {};
  const range = member.minimum === undefined ? "" : ` From ${member.minimum} to ${member.maximum ?? "any number"}.`;
  const isPlain = typeof member.default !== "object" && member.default !== undefined && member.default !== "";
  return { hint: member.description + range + (isPlain ? ` Default: ${String(member.default)}.` : "") };
}
