import type { TObject } from "typebox";
import { adminRouteNames } from "../admin/admin-rows.ts";
import { type Envelope, type ProblemDetails, problemDetailsSchema, resultNumber } from "../envelope.ts";
import type { Operation } from "../operation.ts";
import { type OperationId, operationIds, operationRow } from "../operations.ts";
import { pushTopics } from "../pushes.ts";
import { adminGroup, adminPath, inboundPath, progressPath } from "./adapter-paths.ts";
import {
  type ComponentRegistry,
  componentRegistry,
  envelopeSchema,
  type JsonObject,
  resultTable,
  shapeOf,
  typesOf,
  validationStatusSchema,
} from "./component-registry.ts";
import { sampleValue } from "./sample-value.ts";
import { dataSample, validSamples } from "./samples.ts";
import { sentEvents, sentGroup } from "./sent-events.ts";

const groups: Readonly<Record<Operation["group"] | "Inbound", string>> = {
  "Work orders": "Work order intake, Put Wall, export and events. Called by the platform.",
  Processing: "Step confirmations, whose answers may change the order. Called by the platform.",
  Items: "Item master data and images. Called by the platform.",
  Health: "Version of the adapter.",
  Inbound: "Pushes of the external system. They need the API key.",
};

const notServed: ProblemDetails = {
  type: "about:blank",
  title: "Unsupported Media Type",
  status: 415,
  detail: "Send the body as application/json; charset=utf-8.",
  traceId: "7f3a9c21",
};

interface DocumentOptions {
  readonly version: string;
  readonly serverUrl?: string;
}

/** The whole contract as an OpenAPI 3.1 document. The same input gives the same document, byte for byte. */
export function openApi(options: DocumentOptions): JsonObject {
  const steps = openApiSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same document, one operation per step, so that a server can do other work between them. */
export function* openApiSteps({ version, serverUrl }: DocumentOptions): Generator<undefined, JsonObject> {
  const registry = componentRegistry();
  const validationStatus = registry.define("ValidationStatus", validationStatusSchema);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const id of operationIds) {
    const row = operationRow(id);
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(id, registry, validationStatus) };
    yield;
  }
  for (const topic of pushTopics) Object.assign(paths, inboundPath(topic, registry));
  Object.assign(paths, progressPath(registry));
  for (const route of adminRouteNames) {
    const [path, item] = adminPath(route, registry);
    paths[path] = { ...paths[path], ...item };
    yield;
  }
  const problem = { "application/problem+json": { schema: registry.place(shapeOf(problemDetailsSchema)) } };
  const invalidExample = { invalid: { value: sampleValue(shapeOf(problemDetailsSchema), "full") } };
  return {
    openapi: "3.1.0",
    info: {
      title: "Crossdock",
      version,
      summary: "The adapter between a warehouse platform and the external system behind it.",
      description:
        "Every endpoint but `GET /Status` answers HTTP 200 with the envelope; `result` has its own numbers on each endpoint. " +
        "Routes, query names and member names are case-insensitive; unknown members are kept.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl ?? "http://127.0.0.1:8080" }],
    tags: [...Object.entries(groups).map(([name, description]) => ({ name, description })), adminGroup, sentGroup],
    paths,
    webhooks: sentEvents(registry),
    components: {
      schemas: registry.all(),
      parameters: {
        AcceptLanguage: {
          name: "Accept-Language",
          in: "header",
          description: "Language of operator texts: en, de, fr, it, es, nl or pl; anything else means en.",
          schema: { type: "string", default: "en" },
        },
      },
      responses: {
        Invalid: {
          description: "The input is not valid, and the adapter is configured to answer with problem details.",
          content: { "application/problem+json": { ...problem["application/problem+json"], examples: invalidExample } },
        },
        Problem: {
          description: "The request was not processed: wrong content type, body too large, wrong method or similar.",
          content: {
            "application/problem+json": {
              ...problem["application/problem+json"],
              examples: { notServed: { value: notServed } },
            },
          },
        },
      },
      securitySchemes: {
        bearerKey: { type: "http", scheme: "bearer", description: "The API key as a bearer token." },
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "The API key in a separate header." },
      },
    },
  };
}

function operation(id: OperationId, registry: ComponentRegistry, validationStatus: JsonObject): JsonObject {
  const row = operationRow(id);
  const hasInput = (row.params ?? row.query ?? row.body) !== undefined;
  return {
    operationId: id,
    tags: [row.group],
    summary: row.summary,
    ...described(row),
    // The contract requires no authentication, but a deployment may.
    security: [],
    parameters: [
      ...parameters(row.params, "path", registry),
      ...parameters(row.query, "query", registry),
      ...(row.results.length === 0 ? [] : [{ $ref: "#/components/parameters/AcceptLanguage" }]),
    ],
    ...(row.body === undefined ? {} : { requestBody: requestBody(id, registry.place(shapeOf(row.body))) }),
    responses: {
      "200": {
        description: row.results.length === 0 ? row.summary : `The outcome.\n\n${resultTable(row)}`,
        content: { "application/json": answer(id, registry, validationStatus) },
      },
      ...(hasInput ? { "400": { $ref: "#/components/responses/Invalid" } } : {}),
      "4XX": { $ref: "#/components/responses/Problem" },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function described({ kind, note, assumption }: Operation): JsonObject {
  const texts = kind === "event" ? ["Stored in the journal before it is answered."] : [];
  if (note !== undefined) texts.push(note);
  if (assumption !== undefined) texts.push(`Assumption: ${assumption}`);
  return texts.length === 0 ? {} : { description: texts.join("\n\n") };
}

function answer(id: OperationId, registry: ComponentRegistry, validationStatus: JsonObject): JsonObject {
  const row = operationRow(id);
  const data = row.data === undefined ? null : registry.place(shapeOf(row.data));
  if (row.results.length === 0) return { schema: data ?? {}, examples: envelopeExamples(id) };
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Envelope`;
  return {
    schema: registry.define(name, envelopeSchema(row, data, validationStatus)),
    examples: envelopeExamples(id),
  };
}

function parameters(schema: TObject | undefined, place: "path" | "query", registry: ComponentRegistry): JsonObject[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = shapeOf(schema);
  // The sample of an object schema is an object.
  const examples = Object(sampleValue(shapeOf(schema), "full")) as Record<string, unknown>;
  return Object.entries(properties).map(([name, { type, description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    // Neither a path nor a query can contain null.
    schema: registry.place({ ...rest, type: typesOf({ type })[0] ?? "string" }),
    example: examples[name],
  }));
}

const requestBody = (id: OperationId, schema: JsonObject): JsonObject => ({
  required: true,
  content: { "application/json": { schema, examples: bodyExamples(id) } },
});

function bodyExamples(id: OperationId): JsonObject {
  const shown = validSamples(id).filter(({ name }) => name === "minimal" || name === "full");
  return Object.fromEntries(shown.map(({ name, body }) => [name, { value: body }]));
}

/** One example answer per result of the row, by result name; success first, because readers show the first one. */
function envelopeExamples(id: OperationId): JsonObject {
  const row = operationRow(id);
  if (row.results.length === 0) return { version: { value: dataSample(id) } };
  return Object.fromEntries(
    [row.success, ...row.results.filter((result) => result !== row.success)].map((result) => {
      const isResultSuccess = result === row.success;
      const value: Envelope = {
        isResultSuccess,
        result: resultNumber(row, result),
        validationStatus:
          result === "InvalidInput"
            ? { errorMessages: ["workOrderNumber: is missing"], isValid: false, errorCount: 1 }
            : null,
        externalMessage:
          isResultSuccess || result === "InvalidInput" ? null : "What the operator should know and do next.",
        data: isResultSuccess ? dataSample(id) : null,
      };
      return [result, { value }];
    }),
  );
}
