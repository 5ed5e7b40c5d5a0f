import type { AdminRow } from "../admin/admin-row.ts";
import { type AdminRoute, adminRow } from "../admin/admin-rows.ts";
import { type ComponentRegistry, type JsonObject, type Shape, shapeOf, typesOf } from "./component-registry.ts";

export const adminGroup = {
  name: "Admin",
  description: "For the console, the command line and your own tools. They need a key, or the cookie of a session.",
} as const;

/** One admin route as an OpenAPI path. */
export function adminPath(
  route: AdminRoute,
  registry: ComponentRegistry,
): readonly [path: string, item: Record<string, JsonObject>] {
  const row = adminRow(route);
  const [method = "", given = ""] = route.split(" ");
  const path = given.replace(/:(\w+)/g, "{$1}");
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    ...{ name, in: "path", required: true, description: pathTexts[name] ?? name, schema: { type: "string" } },
  }));
  const operation: JsonObject = {
    operationId: idOf(method, given),
    tags: [adminGroup.name],
    summary: row.summary,
    ...(row.role === undefined ? {} : { description: `Needs the role ${row.role}.` }),
    security: row.role === undefined ? [] : [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [...named, ...queryOf(row, registry)],
    ...(row.body === undefined
      ? {}
      : {
          requestBody: {
            ...{ required: true, content: { "application/json": { schema: registry.place(shapeOf(row.body)) } } },
          },
        }),
    responses: { ...success(row, registry), "4XX": { $ref: "#/components/responses/Problem" } },
  };
  return [path, { [method.toLowerCase()]: operation }];
}

function success({ answer, types = [], summary }: AdminRow, registry: ComponentRegistry): JsonObject {
  const json = answer === undefined ? {} : { "application/json": { schema: registry.place(shapeOf(answer)) } };
  const others = Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));
  // A stream of events has no JSON form.
  const content = types.includes("text/event-stream") ? others : { ...json, ...others };
  const isEmpty = Object.keys(content).length === 0;
  return { [isEmpty ? "204" : "200"]: { description: summary, ...(isEmpty ? {} : { content }) } };
}

function queryOf({ query }: AdminRow, registry: ComponentRegistry): JsonObject[] {
  if (query === undefined) return [];
  return Object.entries(shapeOf(query).properties ?? {}).map(
    ([name, { description, type, ...rest }]: [string, Shape]) => ({
      ...{ name, in: "query", required: false, description },
      schema: registry.place({ ...rest, type: typesOf({ type })[0] ?? "string" }),
    }),
  );
}

const pathTexts: Readonly<Record<string, string>> = {
  entry: "Number or id of an entry.",
  number: "Number of an order.",
  name: "Name of a connector.",
  id: "Id of a record.",
};

/** `POST /admin/journal/:entry/retry` becomes `adminPostJournalEntryRetry`. */
const idOf = (method: string, path: string): string =>
  `admin${[method.toLowerCase(), ...path.split("/").slice(2)]
    .map((part) => part.replace(":", ""))
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")}`;
