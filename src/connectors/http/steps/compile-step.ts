import {
  type AnswerTest,
  compileCondition as compileAnswerCondition,
} from "../../../http-client/answers/answer-condition.ts";
import type { AnswerRuleOptions, AnswerRules } from "../../../http-client/answers/answer-rules.ts";
import type { Scope } from "../../../http-client/answers/template.ts";
import { compileMapping } from "../../../mapping/compile-mapping.ts";
import { Fault } from "../../../operation/fault.ts";
import type { AlreadyDoneOptions, StepOptions } from "../options/operation-options.ts";
import { rulesOf } from "../options/options.ts";
import { type RequestPlan, requestPlan } from "../request-plan.ts";
import type { Workbench } from "../workbench.ts";
import { type Condition, compileCondition, compileValue } from "./condition.ts";

/** One request of an event, compiled once. */
export interface CompiledStep {
  readonly name: string;
  /** Whether sending it twice changes nothing. */
  readonly isSafe: boolean;
  readonly when: Condition;
  readonly each: ((scope: Scope) => unknown) | null;
  /** Adds the mapped event to the scope, if the step has mapping rules of its own. */
  readonly map: (scope: Scope) => Scope | Promise<Scope>;
  /** Null if the step only computes. */
  readonly plan: RequestPlan | null;
  readonly rules: AnswerRules;
  readonly timeoutMs: number | undefined;
  readonly expect: Condition | null;
  readonly alreadyDone: AlreadyDone | null;
  /** Answers after which the earlier steps have to be repeated. */
  readonly startOver: readonly AnswerTest[];
}

/** How to find out whether a request took effect before it is sent again. */
interface AlreadyDone {
  readonly plan: RequestPlan;
  readonly rules: AnswerRules;
  readonly when: Condition;
  readonly answer: (scope: Scope) => unknown;
}

export const stepName = ({ name }: Pick<StepOptions, "name">, index: number): string => name ?? `step${index + 1}`;

export function compileStep(step: StepOptions, name: string, event: AnswerRuleOptions, bench: Workbench): CompiledStep {
  const { settings, baseUrl, headers, dates } = bench;
  const {
    map,
    when,
    each,
    timeoutMs,
    expect,
    alreadyDone,
    startOverWhen = [],
    onlyReads = false,
    path,
    ...rest
  } = step;
  // The path is not used when nothing is sent.
  const request = { ...rest, path: path ?? "/" };
  const isBodiless = request.method === "GET" || request.method === "DELETE";
  const hasOwnBody = request.body !== undefined || map === undefined || isBodiless;
  return {
    name,
    isSafe: onlyReads || path === undefined || request.method === "GET",
    when: compileCondition(when, `the condition of step ${name}`, dates),
    each: each === undefined ? null : compileValue(each, `the list of step ${name}`, dates),
    map: map === undefined ? (scope) => scope : mapper(map, bench),
    plan:
      path === undefined
        ? null
        : requestPlan({
            request: hasOwnBody ? request : { ...request, body: "{mapped}" },
            ...{ baseUrl, headers, method: "POST" },
          }),
    rules: rulesOf({ settings, request, event }),
    timeoutMs,
    expect: expect === undefined ? null : compileCondition(expect, `expect of step ${name}`, dates),
    alreadyDone: alreadyDone === undefined ? null : compileAlreadyDone(alreadyDone, name, bench),
    startOver: startOverWhen.map(compileAnswerCondition),
  };
}

function compileAlreadyDone(
  { request, when, answer }: AlreadyDoneOptions,
  name: string,
  bench: Workbench,
): AlreadyDone {
  const { settings, baseUrl, headers, dates } = bench;
  return {
    plan: requestPlan({ request, baseUrl, headers, method: "GET" }),
    rules: rulesOf({ settings, request }),
    when: compileCondition(when, `alreadyDone of step ${name}`, dates),
    answer: compileValue(answer ?? "answer", `the answer of alreadyDone of step ${name}`, dates),
  };
}

/** The mapping rules of a step can read everything its placeholders can. */
function mapper(map: Readonly<Record<string, unknown>>, { dates }: Workbench): CompiledStep["map"] {
  const mapping = compileMapping(map, { dates });
  return async (scope) => {
    const { value, problems } = await mapping.apply(scope);
    const [problem] = problems;
    if (problem !== undefined) throw new Fault("rejected", `${problem.field}: ${problem.text}`);
    return { ...scope, mapped: value };
  };
}
