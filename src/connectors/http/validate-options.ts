import { type AskId, operationRow, type TellId } from "../../contract/operations.ts";
import { pushRow } from "../../contract/pushes.ts";
import type { OptionProblem } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import { mappingProblems } from "../../sdk/mapping/mapping-problems.ts";
import { type AskOptions, offeredAsks, offeredTells, type TellOptions } from "./operation-options.ts";
import type { HttpOptions } from "./options.ts";
import type { PageOptions } from "./page-options.ts";
import type { RequestOptions } from "./request-options.ts";
import { requestPlan } from "./request-plan.ts";
import { servedSchema } from "./served-schema.ts";
import { type HttpSettings, settingsOf } from "./settings.ts";

type Path = readonly (string | number)[];

const always = ["input", "language"];
const paging = ["page", "offset", "cursor", "limit"];
const telling = ["entryId", "topic", "attempt", "mapped", "element", "index", "steps"];

/** Everything that the schema cannot say, so that it comes up when the configuration is loaded and not at the first scan. */
export function validateOptions(options: HttpOptions): readonly OptionProblem[] {
  const settings = settingsOf(options);
  const variables = Object.keys(settings.variables ?? {});
  const { operations = {}, notices, poll = [] } = settings;
  return [
    ...connectionProblems(settings),
    ...offeredAsks.flatMap((id) => {
      const own: AskOptions | undefined = operations[id];
      return own === undefined ? [] : askProblems(id, own, variables);
    }),
    ...offeredTells.flatMap((id) => {
      const own: TellOptions | undefined = operations[id];
      return own === undefined ? [] : tellProblems(id, own, variables);
    }),
    ...(notices === undefined ? [] : tellProblems(null, notices, variables)),
    ...poll.flatMap((own, index) => {
      const path = ["poll", index];
      const isUnused = own.since !== undefined && own.since.param === undefined && !asksFor(own, "since");
      return [
        ...requestProblems(own, path, [...variables, ...always, ...paging, "since"]),
        ...detailProblems(own, path, variables),
        ...mappingProblems(own.map, { target: pushRow(own.topic).element, path: [...path, "map"] }),
        ...pageProblems(own, path),
        ...(isUnused
          ? [
              {
                path: [...path, "since"],
                text: "the request does not say since when",
                hint: "Give `param`, or write {since} into the request.",
              },
            ]
          : []),
      ];
    }),
  ];
}

function connectionProblems({ baseUrl, auth = {}, tls = {} }: HttpSettings): OptionProblem[] {
  const kinds = Object.keys(auth);
  return [
    ...(URL.canParse(baseUrl) ? [] : [{ path: ["baseUrl"], text: `${JSON.stringify(baseUrl)} is no address` }]),
    ...(kinds.length > 1 ? [{ path: ["auth"], text: `only one of ${kinds.join(", ")} can be used` }] : []),
    ...((tls.cert === undefined) === (tls.key === undefined)
      ? []
      : [{ path: ["tls"], text: "cert and key belong together", hint: "Give both, or none of them." }]),
  ];
}

function askProblems(id: AskId, own: AskOptions, variables: readonly string[]): OptionProblem[] {
  const row = operationRow(id);
  const path = ["operations", id];
  return [
    ...requestProblems(own, path, [...variables, ...always, ...paging, ...inputNames(id)]),
    ...detailProblems(own, path, variables),
    ...mappingProblems(own.map, { target: servedSchema(row).element, path: [...path, "map"] }),
    ...pageProblems(own, path),
  ];
}

function tellProblems(id: TellId | null, own: TellOptions, variables: readonly string[]): OptionProblem[] {
  const row = id === null ? null : operationRow(id);
  const path = id === null ? ["notices"] : ["operations", id];
  const names = [...variables, ...always, ...telling, ...(id === null ? [] : inputNames(id))];
  const { path: address, steps, refusals = [] } = own;
  const refusable = (row?.results ?? []).filter((name) => name !== row?.success);
  return [
    ...((address === undefined) === (steps === undefined)
      ? [
          {
            path,
            text: "there must be either a path or steps",
            hint: "One request: `path`. Several in order: `steps`.",
          },
        ]
      : []),
    ...(address === undefined ? [] : requestProblems({ ...own, path: address }, path, names)),
    ...(steps ?? []).flatMap((step, index) => requestProblems(step, [...path, "steps", index], names)),
    ...mappingProblems(own.map, { path: [...path, "map"] }),
    ...refusals.flatMap(({ result }, index) =>
      refusable.includes(result)
        ? []
        : [
            {
              path: [...path, "refusals", index, "result"],
              text: `${id} has no result ${JSON.stringify(result)}`,
              hint: `Results: ${refusable.join(", ")}.`,
            },
          ],
    ),
  ];
}

/** The members that the platform sends with an operation. */
function inputNames(id: AskId | TellId): string[] {
  const { body, params, query } = operationRow(id);
  // TSchema hides its own members; every schema of the contract is plain JSON Schema.
  const properties = (schema: unknown) =>
    Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  return [body, params, query].flatMap(properties);
}

type Asked = Pick<RequestOptions, "path" | "query" | "headers" | "body">;

function planOf({ path, query, headers, body }: Asked) {
  const request = {
    path,
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  return requestPlan({ request, baseUrl: new URL("http://localhost"), method: "GET", headers: {} });
}

function requestProblems(request: Asked, path: Path, known: readonly string[]): OptionProblem[] {
  const names = new Set(known.map((name) => name.toLowerCase()));
  try {
    const unknown = planOf(request).names.filter((name) => !names.has((name.split(/[.[]/)[0] ?? "").toLowerCase()));
    return [...new Set(unknown)].map((name) => ({
      path,
      text: `nothing fills {${name}}`,
      hint: `Placeholders: ${known.map((one) => `{${one}}`).join(", ")}; others are described under \`variables\`. A brace itself is written twice.`,
    }));
  } catch (error) {
    if (error instanceof Fault) return [{ path: [...path, "headers"], text: error.message }];
    throw error;
  }
}

function detailProblems(
  { detail }: Pick<AskOptions, "detail">,
  path: Path,
  variables: readonly string[],
): OptionProblem[] {
  return detail === undefined ? [] : requestProblems(detail, [...path, "detail"], [...variables, ...always, "record"]);
}

function asksFor(request: Asked, name: string): boolean {
  try {
    return planOf(request).names.includes(name);
  } catch {
    return false;
  }
}

function pageProblems({ page, ...request }: Asked & { readonly page?: PageOptions }, path: Path): OptionProblem[] {
  if (page === undefined) return [];
  const { by, param, at } = page;
  if (by === "cursor" && at === undefined)
    return [{ path: [...path, "page"], text: "where the mark of the next page stands is missing", hint: "Give `at`." }];
  const name = by === "page" || by === "offset" || by === "cursor" ? by : undefined;
  if (name === undefined || param !== undefined || asksFor(request, name)) return [];
  return [
    {
      path: [...path, "page"],
      text: "the request does not say which page",
      hint: `Give \`param\`, or write {${name}} into the request.`,
    },
  ];
}
