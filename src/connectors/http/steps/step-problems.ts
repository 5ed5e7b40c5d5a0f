import { mappingProblems } from "../../../mapping/compile-mapping.ts";
import { objectShape } from "../../../mapping/source/source-shape.ts";
import type { OptionProblem } from "../../../operation/option-problem.ts";
import type { EventOptions, RequestOptions, StepOptions } from "../options/operation-options.ts";
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
      ...requestProblems(step, at, mapped),
      ...conditionProblems(step.when, [...at, "when"], own),
      ...valueProblems(step.each, [...at, "each"], scopeOfStep(scope, { path: "/" }, names.slice(0, index))),
      ...mappingProblems(step.map, { source: objectShape(own), path: [...at, "map"] }),
      ...sendingProblems(step, at, mapped, requestProblems),
    ];
  });
}

/** What a single request and a step have in common. */
export function sendingProblems(
  { expect, alreadyDone, method }: Pick<EventOptions, "expect" | "alreadyDone" | "method">,
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
          ...(method === "GET"
            ? [{ path: asking, text: "a GET is simply sent again", hint: "Remove alreadyDone." }]
            : []),
        ]),
  ];
}
