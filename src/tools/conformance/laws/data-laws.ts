import { type Shape, shapeOf } from "../../../contract/derive/component-registry.ts";
import { type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import { workOrderSchema } from "../../../contract/schemas/work-order.ts";
import type { Problem } from "../../../contract/validate/problem.ts";
import { type Validator, validator } from "../../../contract/validate/validator.ts";
import { decodeBase64 } from "../../../kit/base64.ts";
import { imageKind } from "../../../operation/outcome.ts";
import type { Law } from "../conformance-check.ts";
import { type Exchange, isObject, isSuccess, statusOf } from "../harness/recorded-exchange.ts";
import { sentences } from "../sentences.ts";

const maxElements = 200;

/** Members that differ from a documented one only in letter case. */
function misspelt(shape: Shape, value: unknown, at = "data"): readonly string[] {
  if (shape.items !== undefined && Array.isArray(value)) {
    const { items } = shape;
    return value.slice(0, maxElements).flatMap((element, index) => misspelt(items, element, `${at}[${index}]`));
  }
  if (shape.properties === undefined || !isObject(value)) return [];
  const documented = new Map(Object.keys(shape.properties).map((name) => [name.toLowerCase(), name]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const right = documented.get(name.toLowerCase());
    if (right === undefined) return [];
    const below = shape.properties?.[right];
    return [
      ...(right === name ? [] : [`${at}.${right}, not ${name}`]),
      ...(below === undefined ? [] : misspelt(below, inner, `${at}.${right}`)),
    ];
  });
}

const maxNamed = 5;
const naiveDate = /^"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?"$/;
const isNaive = ({ expected, found = "" }: Problem) => expected === "date" && naiveDate.test(found);

const hasOrders = (operation: OperationId): boolean => {
  const { data } = operationRow(operation);
  return (
    data !== undefined && (data === workOrderSchema || shapeOf(data).items?.title === shapeOf(workOrderSchema).title)
  );
};

/** Laws for the data of a success: the resources of the contract in their exact form. */
export function dataLaws(): readonly Law[] {
  const validators = new Map<OperationId, Validator>();
  for (const id of operationIds) {
    const { data } = operationRow(id);
    if (data !== undefined) validators.set(id, validator(data));
  }
  const problemsOf = (exchange: Exchange): readonly Problem[] => {
    const check = validators.get(exchange.operation);
    const data = dataOf(exchange);
    return check === undefined || check.isValid(data) ? [] : check.problems(data);
  };
  const ofData =
    (judge: (data: unknown, exchange: Exchange) => string | null | undefined): Law["judge"] =>
    (exchange) => {
      if (!carriesData(exchange)) return undefined;
      return judge(dataOf(exchange), exchange);
    };
  const hasData: Law["appliesTo"] = (operation) => validators.has(operation);

  return [
    {
      id: "data-shape",
      title: "data has the members and types of the contract",
      hint: "Enumerations are numbers, amounts whole numbers, external data a text, an empty list [] and not null.",
      basis: sentences.payload,
      appliesTo: hasData,
      judge: ofData((_, exchange) => named(problemsOf(exchange).filter((problem) => !isNaive(problem)))),
    },
    {
      id: "dates",
      title: "dates are written with their offset",
      hint: "Write 2030-01-31T08:00:00Z or +01:00; without an offset each side reads its own time zone.",
      basis: sentences.exactOut,
      appliesTo: (operation) => hasOrders(operation) || operation === "getStatus",
      judge: ofData((_, exchange) => named(problemsOf(exchange).filter(isNaive))),
    },
    {
      id: "spelling",
      title: "members are spelled as documented",
      hint: "Most serialisers have a setting for camelCase names.",
      basis: sentences.exactOut,
      appliesTo: hasData,
      judge: ofData((data, { operation }) => {
        const schema = operationRow(operation).data;
        const wrong = schema === undefined ? [] : misspelt(shapeOf(schema), data);
        return wrong.length === 0 ? null : wrong.slice(0, maxNamed).join("; ");
      }),
    },
    {
      id: "orders-usable",
      title: "every order can be worked on: numbers, lines, amounts above 0, no number twice",
      hint: "Keep back an order that is not complete rather than all of them, and say so in externalMessage.",
      basis: sentences.invalidOrder,
      appliesTo: hasOrders,
      judge: ofData((data) => first(unusable(ordersIn(data)))),
    },
    {
      id: "lines-complete",
      title: "every line says its requestType, unitOfMeasure and order",
      hint: "A missing requestType may be read as 0, Ignored, and the line is never picked.",
      basis: sentences.alwaysWritten,
      appliesTo: hasOrders,
      judge: ofData((data) => first(incomplete(ordersIn(data)))),
    },
    {
      id: "image",
      title: "an image is plain Base64 of PNG, JPEG, WebP or GIF bytes",
      hint: "No data: prefix, no URL-safe alphabet, no HTML page of an image server.",
      basis: sentences.plainImage,
      appliesTo: (operation) => operation === "getItemImage",
      judge: ofData((data) => {
        const bytes = typeof data === "string" ? decodeBase64(data) : null;
        return bytes !== null && imageKind(bytes) !== null ? null : "plain Base64 of an image";
      }),
    },
  ];
}

const carriesData = (exchange: Exchange): boolean =>
  exchange.operation === "getStatus" ? statusOf(exchange) === 200 && exchange.answer !== null : isSuccess(exchange);

const dataOf = ({ operation, answer }: Exchange): unknown =>
  operation === "getStatus" ? answer : (answer?.["data"] ?? null);

function named(problems: readonly Problem[]): string | null {
  if (problems.length === 0) return null;
  return problems
    .slice(0, maxNamed)
    .map(({ field, expected, detail, found }) =>
      [
        `data${field === "" ? "" : field.startsWith("[") ? field : `.${field}`}: ${expected}`,
        detail,
        found && `not ${found}`,
      ]
        .filter(Boolean)
        .join(" "),
    )
    .join("; ");
}

const first = (texts: Iterable<string>): string | null => [...texts].slice(0, maxNamed).join("; ") || null;

type Order = Readonly<Record<string, unknown>>;
const ordersIn = (data: unknown): readonly Order[] => (Array.isArray(data) ? data : [data]).filter(isObject);
const linesOf = (order: Order): readonly Order[] =>
  Array.isArray(order["requests"]) ? order["requests"].filter(isObject) : [];

function* unusable(orders: readonly Order[]): Generator<string> {
  const seen = new Map<unknown, string>();
  for (const order of orders) {
    const name = JSON.stringify(order["number"]);
    if (order["number"] === "") yield "a number that is not empty";
    if (Array.isArray(order["requests"]) && order["requests"].length === 0) yield `order ${name} with lines`;
    const content = JSON.stringify(order);
    if ((seen.get(order["number"]) ?? content) !== content) yield `order ${name} once`;
    seen.set(order["number"], content);
    for (const line of linesOf(order)) {
      if (line["itemNumber"] === "") yield `order ${name}: lines with an item number`;
      const amount = line["requestedAmount"];
      if (typeof amount === "number" && amount <= 0) yield `order ${name}: amounts above 0, not ${amount}`;
    }
  }
}

function* incomplete(orders: readonly Order[]): Generator<string> {
  for (const order of orders) {
    for (const line of linesOf(order)) {
      const absent = ["requestType", "unitOfMeasure", "order"].filter((name) => typeof line[name] !== "number");
      if (absent.length > 0) yield `order ${JSON.stringify(order["number"])}: ${absent.join(", ")} on every line`;
    }
  }
}
