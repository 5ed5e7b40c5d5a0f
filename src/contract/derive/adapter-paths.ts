import type { AdminRow } from "../admin/admin-row.ts";
import { type AdminRoute, adminRow } from "../admin/admin-rows.ts";
import { type ProblemDetails, problemDetailsSchema } from "../envelope.ts";
import { limits } from "../limits.ts";
import {
  type PushProgress,
  type PushTopic,
  pushProgressPath,
  pushProgressSchema,
  pushReceiptSchema,
  pushRow,
} from "../pushes.ts";
import { type ComponentRegistry, type JsonObject, type Shape, shapeOf, typesOf } from "./component-registry.ts";
import { sampleValue } from "./sample-value.ts";
import { validSamples } from "./samples.ts";

/** One inbound route as an OpenAPI path. */
export function inboundPath(topic: PushTopic, registry: ComponentRegistry): JsonObject {
  const { path, summary, element } = pushRow(topic);
  const one = registry.place(shapeOf(element));
  const receipt = shapeOf(pushReceiptSchema);
  const shown = validSamples(topic).filter(({ name }) => ["minimal", "full", "a list"].includes(name));
  const post = {
    operationId: `push${topic.charAt(0).toUpperCase()}${topic.slice(1)}`,
    tags: ["Inbound"],
    summary,
    description: "One object or a list of objects. Either all are stored or none.",
    security: [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [{ $ref: "#/components/parameters/AcceptLanguage" }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { oneOf: [one, { type: "array", items: one, maxItems: limits.elementsPerPush }] },
          examples: Object.fromEntries(shown.map(({ name, body }) => [name, { value: body }])),
        },
      },
    },
    responses: {
      "202": {
        description: "Stored and effective at once.",
        content: {
          "application/json": {
            schema: registry.place(receipt),
            examples: { accepted: { value: sampleValue(receipt, "full") } },
          },
        },
      },
      "400": problem(400, "Nothing was stored; the problem names every invalid element and member.", registry),
      "401": problem(401, "The API key is missing or wrong.", registry),
      "503": problem(503, "Nothing was stored; retry after the time in Retry-After.", registry),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [path]: { post } };
}

const deliveredExample: PushProgress = {
  id: "evt_0198c0de-0000-7000-8000-000000000001",
  topic: "workOrders",
  state: "delivered",
  receivedAt: "2026-01-05T08:00:00.000Z",
  deliveredAt: "2026-01-05T08:00:00.120Z",
  attempts: 1,
  nextAttemptAt: null,
  lastStatus: null,
  supersededBy: null,
};

/** The route for senders to read the state of a push, as an OpenAPI path. */
export function progressPath(registry: ComponentRegistry): JsonObject {
  const progress = shapeOf(pushProgressSchema);
  const get = {
    operationId: "getPushProgress",
    tags: ["Inbound"],
    summary: "State of a push.",
    description: "For senders that may push its topic. For all others the answer is 404, as for an unknown id.",
    security: [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "One of the ids in the answer to the push.",
        schema: { type: "string" },
        example: deliveredExample.id,
      },
    ],
    responses: {
      "200": {
        description: "State of the push.",
        content: {
          "application/json": {
            schema: registry.place(progress),
            examples: { delivered: { value: deliveredExample } },
          },
        },
      },
      "401": problem(401, "The API key is missing or wrong.", registry),
      "404": problem(404, "There is no such push.", registry),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [pushProgressPath]: { get } };
}

const titles = { 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 503: "Service Unavailable" } as const;

/** A problem document of one status, with an example. */
function problem(status: keyof typeof titles, description: string, registry: ComponentRegistry): JsonObject {
  const value: ProblemDetails = {
    type: "about:blank",
    title: titles[status],
    status,
    detail: description,
    traceId: "7f3a9c21",
    ...(status === 400 ? { errors: { "[0].number": ["[0].number: is missing; please add it"] }, errorCount: 1 } : {}),
  };
  return {
    description,
    content: {
      "application/problem+json": {
        schema: registry.place(shapeOf(problemDetailsSchema)),
        examples: { problem: { value } },
      },
    },
  };
}

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
  number: "Number of an order. With `~` before it if it is `.` or `..`, which programs drop from an address.",
  name: "Name of a connector.",
  id: "Id of a record.",
};

/** `POST /admin/journal/:entry/retry` becomes `adminPostJournalEntryRetry`. */
const idOf = (method: string, path: string): string =>
  `admin${[method.toLowerCase(), ...path.split(/[/-]/).slice(2)]
    .map((part) => part.replace(":", ""))
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")}`;
