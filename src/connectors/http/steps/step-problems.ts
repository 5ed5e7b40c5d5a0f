import { mappingProblems } from "../../../mapping/compile-mapping.ts";
import { objectShape } from "../../../mapping/source/source-shape.ts";
import type { OptionProblem } from "../../../operation/option-problem.ts";
import type { RequestOptions, StepOptions } from "../options/operation-options.ts";
import { type PlaceholderScope, scopeOfStep, withMapped } from "../placeholder-scope.ts";
import { stepName } from "./compile-step.ts";
import { conditionProblems, valueProblems } from "./condition.ts";

type Path = readonly (string | number)[];

type RequestProblems = (request: RequestOptions, path: Path, scope: PlaceholderScope) => readonly OptionProblem[];

/** Everything that the schema of the steps cannot express. */
export function stepProblems(
  steps: readonly StepOptions[],
  path: Path,
  scope: PlaceholderScope,
  requestProblems: RequestProblems,
): OptionProblem[] {
  const names = steps.map(stepName);
  return steps.flatMap((step, index) => {
    const at = [...path, index];
    const own = scopeOfStep(scope, step, names.slice(0, index));
    const mapped = withMapped(own, step);
    const name = names[index] ?? "";
    return [
      ...(names.indexOf(name) < index
        ? [{ path: [...at, "name"], text: `there are two steps named ${name}`, hint: "Give each its own name." }]
        : []),
      ...(step.path === undefined
        ? computingProblems(step, at)
        : requestProblems({ ...step, path: step.path }, at, mapped)),
      ...conditionProblems(step.when, [...at, "when"], own),
      ...valueProblems(step.each, [...at, "each"], scopeOfStep(scope, {}, names.slice(0, index))),
      ...mappingProblems(step.map, { source: objectShape(own), path: [...at, "map"] }),
      ...sendingProblems(step, at, mapped, requestProblems),
    ];
  });
}

/** The options of a step without a path. */
const computing: readonly string[] = ["name", "when", "each", "map"];

/** A step without a path sends nothing, so a forgotten path must not go unnoticed. */
function computingProblems(step: StepOptions, path: Path): OptionProblem[] {
  const foreign = Object.keys(step).filter((name) => !computing.includes(name));
  if (step.map !== undefined && foreign.length === 0) return [];
  const text =
    foreign.length > 0
      ? `it has no path, so nothing is sent, and ${foreign.join(", ")} has no effect`
      : "it has neither a path nor a map";
  return [{ path, text, hint: "A step that sends has a `path`; one that only computes has a `map`." }];
}

/** Checks for options that single requests and steps have in common. */
export function sendingProblems(
  { expect, alreadyDone, method, onlyReads }: Pick<StepOptions, "expect" | "alreadyDone" | "method" | "onlyReads">,
  path: Path,
  scope: PlaceholderScope,
  requestProblems: RequestProblems,
): OptionProblem[] {
  const answered = { ...scope, answer: null };
  const asking = [...path, "alreadyDone"];
  return [
    ...conditionProblems(expect, [...path, "expect"], answered),
    ...(alreadyDone === undefined
      ? []
      : [
          ...requestProblems(alreadyDone.request, [...asking, "request"], scope),
          ...conditionProblems(alreadyDone.when, [...asking, "when"], answered),
          ...valueProblems(alreadyDone.answer, [...asking, "answer"], answered),
          ...(method === "GET" || onlyReads === true
            ? [{ path: asking, text: "a request that only reads is simply sent again", hint: "Remove alreadyDone." }]
            : []),
        ]),
  ];
}
