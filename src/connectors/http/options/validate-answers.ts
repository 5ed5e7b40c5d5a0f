import { derivedEventIds, isDerivedEvent } from "../../../contract/derived-events.ts";
import { type EventId, operationRow } from "../../../contract/operations.ts";
import { requestLineSchema } from "../../../contract/schemas/work-order.ts";
import { conditionProblems, pathProblems } from "../../../http-client/answers/answer-condition.ts";
import { type AnswerRuleOptions, answerRuleProblems } from "../../../http-client/answers/answer-rules.ts";
import { meantSentence, nearestName } from "../../../kit/nearest-name.ts";
import { whereProblems } from "../../../mapping/record-filter.ts";
import type { OptionProblem } from "../../../operation/option-problem.ts";
import { servedSchema } from "../workbench.ts";
import { type EventOptions, offeredEvents, offeredQueries, type QueryOptions } from "./operation-options.ts";
import type { HttpSettings, PollOptions } from "./options.ts";

type Path = readonly (string | number)[];

/** Checks of answer rules, and of paths into answers, that the schema cannot express, for all places in the options. */
export function answerProblems(settings: HttpSettings): OptionProblem[] {
  const { operations = {}, notices, poll = [] } = settings;
  return [
    ...ruleProblems(settings, [], refusableByAny),
    ...offeredQueries.flatMap((id) => {
      const own: QueryOptions | undefined = operations[id];
      if (own === undefined) return [];
      const isOrder = servedSchema(operationRow(id)).kind === "order";
      return [
        ...fetchProblems(own, ["operations", id]),
        ...lineKeyProblems(own, ["operations", id], isOrder),
        ...(id === "getItemImage" ? imageProblems(own) : []),
      ];
    }),
    ...[...offeredEvents, ...derivedEventIds].flatMap((id) => {
      const own: EventOptions | undefined = operations[id];
      // Nobody waits for an event that the adapter derives, so it has no result.
      const results = isDerivedEvent(id) ? [] : refusable(id);
      return own === undefined ? [] : eventProblems(own, ["operations", id], results);
    }),
    ...(notices === undefined ? [] : eventProblems(notices, ["notices"], [])),
    ...poll.flatMap((own, index) => [
      ...fetchProblems(own, ["poll", index]),
      ...pathProblems(own.since?.path, ["poll", index, "since", "path"]),
      ...(own.ignoreOwn === true && own.topic !== "workOrders"
        ? [{ path: ["poll", index, "ignoreOwn"], text: "only `workOrders` have lines that bookings make smaller" }]
        : []),
      ...lineKeyProblems(own, ["poll", index], own.topic === "workOrders"),
    ]),
  ];
}

function eventProblems(own: EventOptions, path: Path, results: readonly string[]): OptionProblem[] {
  return [
    ...ruleProblems(own, path, results),
    ...(own.steps ?? []).flatMap((step, index) => [
      ...ruleProblems(step, [...path, "steps", index], results),
      ...(step.startOverWhen ?? []).flatMap((one, nth) =>
        conditionProblems(one, [...path, "steps", index, "startOverWhen", nth]),
      ),
    ]),
  ];
}

/** Options that would be ignored silently, because an image is not a record. */
const imageProblems = (own: QueryOptions): OptionProblem[] =>
  (["map", "page", "where"] as const)
    .filter((name) => own[name] !== undefined)
    .map((name) => ({
      path: ["operations", "getItemImage", name],
      text: "an image has no records, so this would have no effect",
      hint: "Remove it. `records` is the path of the image in the answer; `detail` is one more request.",
    }));

const lineMembers = Object.keys(requestLineSchema.properties);

function lineKeyProblems(
  { lineKey = [] }: Pick<QueryOptions, "lineKey">,
  path: Path,
  isOrder: boolean,
): OptionProblem[] {
  const at = [...path, "lineKey"];
  if (lineKey.length > 0 && !isOrder) return [{ path: at, text: "only orders have lines" }];
  return lineKey.flatMap((name, index) => {
    if (lineMembers.includes(name)) return [];
    const near = nearestName(name, lineMembers);
    const hint = near === undefined ? `Members: ${lineMembers.join(", ")}.` : `Did you mean ${near}?`;
    return [{ path: [...at, index], text: `a line of the contract has no ${JSON.stringify(name)}`, hint }];
  });
}

function fetchProblems(own: QueryOptions | PollOptions, path: Path): OptionProblem[] {
  const { records, detail, page } = own;
  const notFound = "notFound" in own ? own.notFound : undefined;
  return [
    ...answerRuleProblems(own, path),
    ...(own.refusals ?? []).flatMap(({ result }, index) =>
      result === undefined
        ? []
        : [
            {
              path: [...path, "refusals", index, "result"],
              text: "only events have results of their own; a refused query always has the operation's result",
            },
          ],
    ),
    ...whereProblems(own.where, [...path, "where"]),
    ...pathProblems(records, [...path, "records"]),
    ...pathProblems(detail?.records, [...path, "detail", "records"]),
    ...pathProblems(page?.path, [...path, "page", "path"]),
    ...pathProblems(page?.total, [...path, "page", "total"]),
    ...pathProblems(notFound?.path, [...path, "notFound", "path"]),
  ];
}

function ruleProblems(own: AnswerRuleOptions, path: Path, results: readonly string[]): OptionProblem[] {
  const of = path[0] === "operations" ? `${path[1]} has no result` : "no event has the result";
  return [
    ...answerRuleProblems(own, path),
    ...(own.refusals ?? []).flatMap(({ result }, index) =>
      result === undefined || results.includes(result)
        ? []
        : [
            {
              path: [...path, "refusals", index, "result"],
              text: `${of} ${JSON.stringify(result)}`,
              hint: `${meantSentence(result, results)}Results: ${results.join(", ")}.`,
            },
          ],
    ),
  ];
}

function refusable(id: EventId): readonly string[] {
  const { results, success } = operationRow(id);
  return results.filter((name) => name !== success);
}

const refusableByAny = [...new Set(offeredEvents.flatMap(refusable))];
