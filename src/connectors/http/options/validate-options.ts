import { receiptTopic } from "../../../contract/change-receipt.ts";
import { derivedEventIds } from "../../../contract/derived-events.ts";
import { operationRow, type QueryId } from "../../../contract/operations.ts";
import { pushRow } from "../../../contract/pushes.ts";
import { placeholdersInNames } from "../../../http-client/answers/template.ts";
import { sentAuthProblems } from "../../../http-client/auth/sent-auth.ts";
import { proxyProblems } from "../../../http-client/network/proxy-choice.ts";
import { mappingProblems } from "../../../mapping/compile-mapping.ts";
import { Fault } from "../../../operation/fault.ts";
import { type OptionProblem, unusedInput } from "../../../operation/option-problem.ts";
import {
  type PlaceholderScope,
  pathProblem,
  type SentName,
  scopeOfDetail,
  scopeOfEvent,
  scopeOfPoll,
  scopeOfQuery,
  sourceWithSubject,
} from "../placeholder-scope.ts";
import type { PageOptions } from "../queries/page-options.ts";
import { requestPlan } from "../request-plan.ts";
import { conditionProblems, valueProblems } from "../steps/condition.ts";
import { sendingProblems, stepProblems } from "../steps/step-problems.ts";
import { servedSchema } from "../workbench.ts";
import {
  type EventOptions,
  offeredEvents,
  offeredQueries,
  type QueryOptions,
  type RequestOptions,
} from "./operation-options.ts";
import { type HttpOptions, type HttpSettings, settingsOf } from "./options.ts";
import { answerProblems } from "./validate-answers.ts";

type Path = readonly (string | number)[];

/**
 * Checks that the schema cannot express. They run when the configuration is loaded, not at the first scan. `notice` is
 * what the request in `notices` sends.
 */
export function validateOptions(options: HttpOptions, notice: SentName = receiptTopic): readonly OptionProblem[] {
  const settings = settingsOf(options);
  const variables = Object.keys(settings.variables ?? {});
  const { operations = {}, notices, poll = [] } = settings;
  return [
    ...connectionProblems(settings),
    ...answerProblems(settings),
    ...offeredQueries.flatMap((id) => {
      const own: QueryOptions | undefined = operations[id];
      return own === undefined ? [] : queryProblems(id, own, variables);
    }),
    ...[...offeredEvents, ...derivedEventIds].flatMap((id) => {
      const own: EventOptions | undefined = operations[id];
      return own === undefined ? [] : eventProblems(id, own, variables, ["operations", id]);
    }),
    ...(notices === undefined ? [] : eventProblems(notice, notices, variables, ["notices"])),
    ...poll.flatMap((own, index) => {
      const path = ["poll", index];
      const isUnused = own.since !== undefined && own.since.param === undefined && !wantsValue(own, "since");
      return [
        ...requestProblems(own, path, scopeOfPoll(variables)),
        ...detailProblems(own, path, variables),
        ...mappingProblems(own.map, { target: pushRow(own.topic).element, path: [...path, "map"] }),
        ...pageProblems(own, path),
        ...(isUnused
          ? [
              {
                path: [...path, "since"],
                text: "the request has no place for the time of the last change",
                hint: "Set `param`, or put {since} into the request.",
              },
            ]
          : []),
      ];
    }),
  ];
}

function connectionProblems({ baseUrl, auth, tls = {}, proxy }: HttpSettings): OptionProblem[] {
  return [
    ...(URL.canParse(baseUrl) ? [] : [{ path: ["baseUrl"], text: `${JSON.stringify(baseUrl)} is not an address` }]),
    ...sentAuthProblems(auth),
    ...((tls.cert === undefined) === (tls.key === undefined)
      ? []
      : [{ path: ["tls"], text: "cert and key belong together", hint: "Set both, or neither." }]),
    ...proxyProblems(proxy),
  ];
}

function queryProblems(id: QueryId, own: QueryOptions, variables: readonly string[]): OptionProblem[] {
  const row = operationRow(id);
  const path = ["operations", id];
  return [
    ...requestProblems(own, path, scopeOfQuery(id, variables)),
    ...inputProblems(id, own, path),
    ...detailProblems(own, path, variables),
    ...mappingProblems(own.map, { target: servedSchema(row).element, path: [...path, "map"] }),
    ...pageProblems(own, path),
  ];
}

/**
 * Whether the scanned order must be picked from a list of all orders, because the request does not use the code. Other
 * queries have nothing to pick by.
 */
export const isPickedFromAll = (id: QueryId, own: QueryOptions): boolean =>
  id === "findWorkOrderByCode" && inputProblem(id, own) !== undefined;

function inputProblems(id: QueryId, own: QueryOptions, path: Path): OptionProblem[] {
  const problem = isPickedFromAll(id, own) ? undefined : inputProblem(id, own);
  return problem === undefined ? [] : [{ path, ...problem }];
}

/** A request that does not use its input would get the same item for every number. */
function inputProblem(id: QueryId, own: QueryOptions): ReturnType<typeof unusedInput> {
  const used = [own, ...(own.detail === undefined ? [] : [own.detail])].flatMap(namesIn);
  const names = used.map((name) => name.toLowerCase());
  // A problem that is reported already explains this one.
  if (names.some((name) => pathProblem(name, scopeOfQuery(id, [])) !== undefined)) return undefined;
  // `{input}` is the whole input, `{input.code}` one member of it.
  const inputs = names.map((name) => (name === "input" ? "body" : name.replace(/^input\./, "")));
  const isWhole = names.includes("input");
  return isWhole ? undefined : unusedInput(id, inputs, (name) => `{${name === "body" ? "input" : name}}`);
}

function namesIn(request: RequestParts): readonly string[] {
  try {
    return planOf(request).names;
  } catch {
    // Reported by requestProblems.
    return [];
  }
}

function eventProblems(
  id: SentName,
  own: EventOptions,
  variables: readonly string[],
  path: readonly string[],
): OptionProblem[] {
  const scope = scopeOfEvent(id, own, variables);
  const { path: address, steps } = own;
  return [
    ...((address === undefined) === (steps === undefined)
      ? [
          {
            path,
            text: "set either `path` or `steps`",
            hint: "One request: `path`. Several in order: `steps`.",
          },
        ]
      : []),
    ...(address === undefined ? [] : requestProblems({ ...own, path: address }, path, scope)),
    ...(address === undefined ? [] : sendingProblems(own, path, scope, requestProblems)),
    ...stepProblems(steps ?? [], [...path, "steps"], scope, requestProblems),
    ...conditionProblems(own.when, [...path, "when"], scope),
    ...valueProblems(own.each, [...path, "each"], scope),
    ...mappingProblems(own.map, { source: sourceWithSubject(id, own), path: [...path, "map"] }),
  ];
}

type RequestParts = Pick<RequestOptions, "path" | "query" | "headers" | "body">;

function planOf({ path, query, headers, body }: RequestParts) {
  const request = {
    path,
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  return requestPlan({ request, baseUrl: new URL("http://localhost"), method: "GET", headers: {} });
}

function requestProblems(request: RequestParts, path: Path, scope: PlaceholderScope): OptionProblem[] {
  const { query, body } = request;
  const inNames = [...placeholdersInNames(query).map(inQuery), ...placeholdersInNames(body).map(inBody)];
  try {
    const unknown = [...new Set(planOf(request).names)].flatMap((name) => {
      const problem = pathProblem(name, scope);
      if (problem === undefined) return [];
      const placeholders = Object.keys(scope).map((one) => `{${one}}`);
      return {
        path,
        text: problem.startsWith("it has no value")
          ? problem.replace("it has no value", `{${name}} has no value`)
          : `{${name}} has no value: ${problem}`,
        hint: `Placeholders: ${placeholders.join(", ")}; define others under \`variables\`. To write a brace itself, double it.`,
      };
    });
    return [...inNames.map(({ part, name }) => nameProblem([...path, part], name)), ...unknown];
  } catch (error) {
    if (error instanceof Fault) return [{ path: [...path, "headers"], text: error.message }];
    throw error;
  }
}

const inQuery = (name: string) => ({ part: "query", name });
const inBody = (name: string) => ({ part: "body", name });

const nameProblem = (path: Path, name: string): OptionProblem => ({
  path,
  text: `placeholders are filled in values, not in names: ${JSON.stringify(name)}`,
  hint: "Write the name itself, or make the object with an expression in `map` and send it as {mapped}.",
});

function detailProblems(
  { detail }: Pick<QueryOptions, "detail">,
  path: Path,
  variables: readonly string[],
): OptionProblem[] {
  return detail === undefined ? [] : requestProblems(detail, [...path, "detail"], scopeOfDetail(variables));
}

function wantsValue(request: RequestParts, name: string): boolean {
  return namesIn(request).includes(name);
}

function pageProblems(
  { page, ...request }: RequestParts & { readonly page?: PageOptions },
  path: Path,
): OptionProblem[] {
  if (page === undefined) return [];
  const { by, param, path: markPath } = page;
  if (by === "cursor" && markPath === undefined)
    return [
      {
        path: [...path, "page"],
        text: "the path of the next page's cursor in the answer is missing",
        hint: "Give `page.path`.",
      },
    ];
  const name = by === "page" || by === "offset" || by === "cursor" ? by : undefined;
  if (name === undefined || param !== undefined || wantsValue(request, name)) return [];
  return [
    {
      path: [...path, "page"],
      text: "the request has no place for the page",
      hint: `Set \`param\`, or put {${name}} into the request.`,
    },
  ];
}
