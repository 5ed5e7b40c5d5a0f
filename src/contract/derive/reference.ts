import * as enums from "../enums.ts";
import { problemDetailsSchema } from "../envelope.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operation.ts";
import { type OperationId, operationIds, operationRow } from "../operations.ts";
import { pushProgressPath, pushProgressSchema, pushReceiptSchema, pushRow, pushTopics } from "../pushes.ts";
import { choicesOf, enumNameOf, isRequired, resultTable, type Shape, shapeOf, typesOf } from "./component-registry.ts";
import { validSamples } from "./samples.ts";

/** What each limit applies to. A record, so that no limit can be without a text. */
const meanings: Record<keyof typeof limits, readonly [what: string, unit: string]> = {
  identifierLength: ["an identifier: number, code, container, location, storage, lot, external id", "characters"],
  textLength: ["a name, a description or another text", "characters"],
  externalDataLength: ["external data, as the JSON string it is or becomes", "characters"],
  exportedDataLength: ["external data in a row to export", "characters"],
  idempotencyKeyLength: ["an `Idempotency-Key`", "visible ASCII characters"],
  indexableValueLength: ["an external indexable value", "characters"],
  imageLength: ["a pushed image", "characters of Base64"],
  members: ["one object, known and unknown ones", "members"],
  depth: ["a body", "levels"],
  linesPerOrder: ["an order, the model of a step, a relocated container", "lines"],
  namesPerItem: ["the names of an item", "elements"],
  containersPerPick: ["the containers of a pick", "elements"],
  unknownElements: ["a list that the contract does not know", "elements"],
  containersPerRelocation: ["the containers of a relocation", "elements"],
  ordersPerReport: ["the orders of a report", "elements"],
  itemsPerReport: ["the remaining requests of a report", "items"],
  smallBodyMiB: ["the body of an event or a small query (lists, files, exports, pushes: `bodyLimitMiB`)", "MiB"],
  rowsPerExport: ["the rows of an export", "elements"],
  elementsPerPush: ["a push", "elements"],
  badElementsPerPush: ["a push with `badRecords: quarantine`", "bad elements"],
  integer: ["whole numbers (amounts, `order`), either side of 0", ""],
  id: ["ids of the platform (`requestId`, `id`)", ""],
  amount: ["all other numbers, either side of 0", ""],
};

/** All limits as a Markdown table. */
function limitTable(): string {
  const lines = Object.entries(meanings).map(([name, [what, unit]]) => {
    const limit = limits[name as keyof typeof limits].toLocaleString("en");
    return `| ${what} | ${limit} ${unit}`.trimEnd().concat(" |");
  });
  return ["| Of | At most |", "|---|---|", ...lines].join("\n");
}

/** The reference page: the whole contract in Markdown, for the person who connects a system. */
export function reference(): string {
  const groups = [...new Set(operationIds.map((id) => operationRow(id).group))];
  const parts = [
    introduction,
    overview(),
    limitsSection(),
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...operationIds.filter((id) => operationRow(id).group === group).map(endpoint),
    ]),
    inbound(),
    "## Objects",
    ...[...namedShapes(linkedRoots())].map(([title, shape]) => `### ${title}\n\n${memberTable(shape)}`),
    "## Enumerations\n\nThey are sent as numbers.",
    ...Object.entries(enums).map(([name, values]) => `### ${name}\n\n${enumTable(values)}`),
  ];
  return `${parts.join("\n\n")}\n`;
}

const introduction = `# The contract

The warehouse platform calls these endpoints; Crossdock answers for the external system behind it. This page is made from the
same table that makes the routes, the checks and \`openapi.json\`.

## The envelope

Every endpoint but \`GET /Status\` answers HTTP 200 with this object, for success and failure.

| Member | Type | Meaning |
|---|---|---|
| isResultSuccess | boolean | True exactly when \`result\` is the success number of that endpoint. |
| result | number | The outcome. **The numbers differ from endpoint to endpoint**: 0 is a success on one and a failure on the others. |
| validationStatus | object or null | \`{ errorMessages, isValid, errorCount }\` when the input was not valid, else null. At most 100 texts; \`errorCount\` is the full number. |
| externalMessage | string or null | A text for the operator, in the language of \`Accept-Language\` (en, de, fr, it, es, nl, pl). |
| data | object, array, string or null | The answer. Null on every failure and on events; \`[]\` when there is nothing to list. |

Bodies are \`application/json; charset=utf-8\`. Routes, query names and member names are case-insensitive. Optional
members may be null or absent; unknown members are kept and passed on. With the setting \`validationMode: problem-details\`
invalid input is answered with HTTP 400 and [ProblemDetails](#problemdetails) instead of the envelope.`;

function overview(): string {
  const lines = operationIds.map((id) => {
    const row = operationRow(id);
    const success = row.results.length === 0 ? "none" : `${row.results.indexOf(row.success)} ${row.success}`;
    return `| [${heading(row)}](#${anchor(heading(row))}) | ${row.summary} | ${success} |`;
  });
  return ["## Overview", "", "| Endpoint | What it is for | Success |", "|---|---|---|", ...lines].join("\n");
}

function limitsSection(): string {
  return [
    "## Limits",
    "Everything has a limit. Input beyond a limit is InvalidInput (OperationFailed where an endpoint has no such result, 400 on " +
      "an inbound push), and the text names the limit; an order from a connector beyond a limit is put into " +
      "quarantine. A body that is too large is answered with 413.",
    "This table holds the limits of members, lists and numbers. The limits of connections, bodies, files and waiting work " +
      "are in the [limits of operation](../how-to/operate.md#limits).",
    limitTable(),
    "Lengths are counted in Unicode characters. The name of a member is an identifier. A duplicate member is not valid at " +
      "any depth, nor in the query of an address, also if it is written with escapes or in a different case; only the keys of a map (item numbers of " +
      "`remainingRequests`) may differ only in case. Nor is a text with half a surrogate pair (`\\ud800` to `\\udfff` by " +
      "itself). Identifiers that are pushed, read from a file or delivered by a connector must not be blanks only and must hold " +
      "no control characters (U+0000 to U+001F, U+007F to U+009F), and their due date is in 1970 or later. Date-times have an offset of at most 14 hours and a year from 1 to 9999, also in UTC. " +
      "So a strict client can read everything that is served: Int32, Int64 for ids, Decimal, DateTimeOffset.",
    "An id of the platform that is above 2^53 is returned exactly. External systems get it as a text of digits, because " +
      "most JSON readers would round it.",
  ].join("\n\n");
}

function endpoint(id: OperationId): string {
  const row = operationRow(id);
  const parts = [`### ${heading(row)}`, row.summary];
  if (row.kind === "event") parts.push("Stored in the journal before it is answered.");
  if (row.note !== undefined) parts.push(row.note);
  if (row.params !== undefined) parts.push(`**Path**\n\n${memberTable(shapeOf(row.params))}`);
  if (row.query !== undefined) parts.push(`**Query**\n\n${memberTable(shapeOf(row.query))}`);
  if (row.body !== undefined) {
    parts.push(`**Body:** ${contentOf(shapeOf(row.body))}`, example(id));
  }
  if (row.data !== undefined) {
    const place = row.results.length === 0 ? "Answer, without envelope" : "Data";
    parts.push(`**${place}:** ${contentOf(shapeOf(row.data))}`);
  }
  if (row.results.length > 0) parts.push(resultTable(row));
  if (row.assumption !== undefined) parts.push(`> **Assumption.** ${row.assumption}`);
  return parts.filter((part) => part !== "").join("\n\n");
}

function inbound(): string {
  const routes = pushTopics.map((topic) => {
    const { path, summary, element } = pushRow(topic);
    return [`### POST ${path}`, summary, memberTable(shapeOf(element)), example(topic)].join("\n\n");
  });
  return [
    "## Inbound pushes",
    "What the external system sends to Crossdock: one object or a list of them, with the API key as `Authorization: Bearer KEY` " +
      "or `X-Api-Key: KEY`. Answers: 202 with a [PushReceipt](#pushreceipt) once it is stored; 400 with " +
      "[ProblemDetails](#problemdetails) that name every invalid element and member, nothing stored; 401 without the key; 503 if it could not be stored.",
    ...routes,
    `### GET ${pushProgressPath}`,
    "State of a push, by an id of its answer, for senders that may push its topic. For any other id the answer is 404.",
    memberTable(shapeOf(pushProgressSchema)),
  ].join("\n\n");
}

/** The content of a body or answer: its members in place, or a link if it is described elsewhere. */
function contentOf(shape: Shape): string {
  const object = shape.items ?? shape;
  if (!isShownInPlace(object)) return typeText(shape);
  return `${shape.items === undefined ? "an object" : "a list of objects"}\n\n${memberTable(object)}`;
}

// Orders and items are long and used often, so they are linked.
const isShownInPlace = ({ title, properties }: Shape): boolean =>
  properties !== undefined && title !== "WorkOrder" && title !== "Item";

function example(id: Parameters<typeof validSamples>[0]): string {
  const body = validSamples(id).find(({ name }) => name === "minimal")?.body;
  return `The least that is accepted:\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``;
}

/** The objects at which the search for linked objects starts: those below the ones shown in place. */
function linkedRoots(): Shape[] {
  const schemas = operationIds.flatMap((id) => [operationRow(id).body, operationRow(id).data]);
  const elements = pushTopics.map((topic) => pushRow(topic).element);
  const inPlace = [...schemas, ...elements]
    .filter((schema) => schema !== undefined)
    .map((schema) => shapeOf(schema).items ?? shapeOf(schema))
    .flatMap((shape) => (isShownInPlace(shape) ? Object.values(shape.properties ?? {}) : [shape]));
  return [...inPlace, shapeOf(pushReceiptSchema), shapeOf(problemDetailsSchema)];
}

const enumTable = (values: Readonly<Record<string, number>>): string =>
  ["| Number | Name |", "|---|---|", ...Object.entries(values).map(([name, number]) => `| ${number} | ${name} |`)].join(
    "\n",
  );

const heading = (row: Operation): string => `${row.method} ${row.path}`;
const anchor = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Every object with a title, found by walking from the roots, sorted by title. */
function namedShapes(roots: readonly Shape[]): ReadonlyMap<string, Shape> {
  const found = new Map<string, Shape>();
  const walk = (shape: Shape): void => {
    if (shape.title !== undefined) found.set(shape.title, shape);
    for (const member of Object.values(shape.properties ?? {})) walk(member);
    if (shape.items !== undefined) walk(shape.items);
    if (shape.additionalProperties !== undefined) walk(shape.additionalProperties);
  };
  for (const root of roots) walk(root);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The members of an object as a Markdown table. */
function memberTable(shape: Shape): string {
  const lines = Object.entries(shape.properties ?? {}).map(
    ([name, member]) =>
      `| ${name} | ${typeText(member)} | ${isRequired(shape, name) ? "yes" : "no"} | ${meaning(member)} |`,
  );
  const choices = choicesOf(shape).map((name) => `\`${name}\``);
  const rule =
    choices.length === 0 ? [] : ["", `At least one of ${choices.join(" and ")} must be present and not null.`];
  return ["| Member | Type | Required | Meaning |", "|---|---|---|---|", ...lines, ...rule].join("\n");
}

/** The type in words, with links to named types. */
function typeText(shape: Shape): string {
  const enumName = enumNameOf(shape);
  if (enumName !== null) return link(enumName);
  if (shape.items !== undefined) return `list of ${typeText(shape.items)}`;
  if (shape.title !== undefined) return link(shape.title);
  if (shape.additionalProperties !== undefined) return `map of text to ${typeText(shape.additionalProperties)}`;
  const words = typesOf(shape).map((type) => (type === "array" ? "list" : type === "integer" ? "whole number" : type));
  return `${words.join(" or ")}${shape.format === undefined ? "" : ` (${shape.format})`}`;
}

function meaning(shape: Shape): string {
  const limits = [
    // The lower bound that all numbers have is in the table of limits.
    shape.minimum === undefined || shape.minimum === -(shape.maximum ?? 0) ? "" : `At least ${shape.minimum}.`,
    shape.minLength === undefined ? "" : "Not empty.",
    shape.pattern === undefined ? "" : "Visible.",
    shape.minItems === undefined ? "" : "Not empty.",
    shape.maxLength === undefined ? "" : `At most ${inWords(shape.maxLength)} characters.`,
    shape.maxItems === undefined ? "" : `At most ${inWords(shape.maxItems)} elements.`,
    shape.maxProperties === undefined ? "" : `At most ${inWords(shape.maxProperties)} members.`,
  ];
  return [shape.description ?? "", ...limits].filter((text) => text !== "").join(" ");
}

const inWords = (limit: number): string => limit.toLocaleString("en");

const link = (title: string): string => `[${title}](#${title.toLowerCase()})`;
