// A small adapter in one file, without Crossdock and without any library: node:http and a few functions.
// It shows how little the contract needs, and that `crossdock conform` judges adapters of any origin.
// Orders and items stand in this file; events are counted and forgotten. It offers no images, no files and no report.
//
//   node examples/plain-adapter/adapter.mjs        listens on PORT (8090)

import { createServer } from "node:http";

const items = new Map([
  ["4001", { number: "4001", name: "Torch", weight: 0.3, unitOfMeasure: 0 }],
  ["4002 B", { number: "4002 B", name: "Battery pack", unitOfMeasure: 0 }],
]);

const line = (itemNumber, requestedAmount, order) => ({
  itemNumber,
  requestedAmount,
  order,
  requestType: 1,
  unitOfMeasure: 0,
});
const orders = [
  {
    number: "P-1",
    dueDate: "2030-03-01T12:00:00Z",
    designatedStorageName: "North",
    deliveryNumber: "TOUR-1",
    requests: [line("4001", 2, 1), line("4002 B", 1, 2)],
  },
  {
    number: "P-2",
    dueDate: "2030-03-02T12:00:00Z",
    deliveryNumber: "TOUR-1",
    alternativeStartNumber: "S-2",
    requests: [line("4001", 5, 1)],
  },
];

const same = (one, other) => String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase();
const isText = (value) => typeof value === "string" && value !== "";
const isCount = (value) => Number.isSafeInteger(value);
const isAmount = (value) => typeof value === "number" && value >= 0;

// ---- What each endpoint answers: [result number, data, text for the operator]. Numbers are the contract's own. ----

function scan({ code, storagename }) {
  const wanted = (code ?? "").trim();
  const order =
    orders.find((one) => one.number === wanted) ??
    orders.find((one) => same(one.number, wanted) || same(one.alternativeStartNumber, wanted));
  if (order === undefined) return [2, null, `No order ${wanted}. Check the label and scan again.`];
  const storage = order.designatedStorageName;
  if (storage !== undefined && !same(storage, storagename))
    return [2, null, `Order ${order.number} belongs to storage ${storage}.`];
  return [1, order];
}

function putWall(code) {
  const found = orders.filter(
    (one) => one.deliveryNumber === code || one.alternativeStartNumber === code || one.number === code,
  );
  return [2, found, found.length === 0 ? `Nothing is known under ${code}.` : null];
}

const item = (number) => (items.has(number) ? [1, items.get(number)] : [2, null, `Item ${number} is not known.`]);

/** Containers and the order on each. */
const containers = new Map();
function attach({ workOrderNumber, containerCode, isAbandonedOrCancelled }) {
  const holder = containers.get(containerCode);
  if (isAbandonedOrCancelled) {
    if (holder === workOrderNumber) containers.delete(containerCode);
    return [0];
  }
  if (!orders.some((one) => one.number === workOrderNumber)) return [3, null, `Order ${workOrderNumber} is not known.`];
  if (holder === workOrderNumber) return [0];
  if (holder !== undefined) return [6, null, `Order ${holder} is on container ${containerCode}.`];
  if ([...containers.values()].includes(workOrderNumber))
    return [5, null, `Order ${workOrderNumber} is on another container.`];
  containers.set(containerCode, workOrderNumber);
  return [0];
}

// ---- Model validation: which members a body has to have. Everything else may be missing or null. ----

/** Messages by field for everything that is not as it has to be. */
const check = (body, rules, at = "") =>
  Object.entries(rules).flatMap(([name, isRight]) =>
    isRight(body[name]) ? [] : [[`${at}${name}`, `The field ${name} is missing or wrong.`]],
  );

const object =
  (rules, more = () => []) =>
  (body) =>
    body === null || typeof body !== "object" || Array.isArray(body)
      ? [["$", "An object is expected."]]
      : [...check(body, rules), ...more(body)];

const list =
  (rules, more = () => []) =>
  (body) =>
    Array.isArray(body)
      ? body.flatMap((one, index) =>
          one === null || typeof one !== "object"
            ? [[`[${index}]`, "An object is expected."]]
            : [...check(one, rules, `[${index}].`), ...more(one, `[${index}].`)],
        )
      : [["$", "A list is expected."]];

const oneOf =
  (...names) =>
  (body) =>
    names.some((name) => (body[name] ?? null) !== null) ? [] : [["$", `One of ${names.join(", ")} is needed.`]];
const step = { workordernumber: isText, requestid: isCount };

// ---- The routes. `answer` gets what was read; `notDefined` is what an endpoint says that is not offered here. ----

const notDefined = (number) => ({ answer: () => [number] });
const taken = (number) => ({ answer: () => [number] });
const events = {
  relocate: list({ containercode: isText, destinationlocationname: isText }, (one, at) =>
    isText(one.workorder?.number) ? [] : [[`${at}workOrder.number`, "The order number is missing."]],
  ),
};

const routes = {
  "GET /workorders": { success: 2, answer: () => [2, orders] },
  "GET /workorders/code": { success: 1, answer: ({ query }) => scan(query) },
  "GET /workorders/forputwall/*": { success: 2, answer: ({ value }) => putWall(value) },
  "GET /workorders/workorderexportcolumns": { success: 2, answer: () => [2, []] },
  "GET /workorders/workorderexternalindexablevaluelabel": { success: 2, answer: () => [2, { label: "" }] },
  "GET /items/*": { success: 1, answer: ({ value }) => item(value) },
  "GET /items/integrateimage/*": { success: 5, ...notDefined(3) },
  "POST /items/file": { success: 1, ...notDefined(6) },
  "POST /workorders/file": { success: 1, ...notDefined(6) },
  "POST /workorders/getreport": { success: 5, ...notDefined(3) },
  "POST /workorders/workorderexportvalues": {
    success: 2,
    valid: list({ workordernumber: isText }),
    answer: ({ body }) => [2, body.map((one) => ({ workOrderNumber: one.workordernumber, values: {} }))],
  },
  "POST /workorders/forputwall": {
    success: 1,
    isEvent: true,
    valid: object({ workordernumber: isText, itemnumber: isText, completedamount: isAmount }),
    ...taken(1),
  },
  "POST /workorders/cancelputwallitem": {
    success: 1,
    isEvent: true,
    valid: object({ workordernumber: isText, itemnumber: isText }),
    ...taken(1),
  },
  "POST /workorders/cancelworkorderrequest": {
    success: 2,
    isEvent: true,
    valid: object({ workordernumber: isText }, oneOf("request", "requestexternalidentifier")),
    ...taken(2),
  },
  "POST /workorders/relocatecartcontainers": { success: 1, isEvent: true, valid: events.relocate, ...taken(1) },
  "POST /workorders/attachworkorder": {
    success: 0,
    isEvent: true,
    valid: object({ workordernumber: isText, containercode: isText }),
    answer: ({ body }) =>
      attach({
        workOrderNumber: body.workordernumber,
        containerCode: body.containercode,
        isAbandonedOrCancelled: body.isabandonedorcancelled,
      }),
  },
  "POST /workorders/status": {
    success: 1,
    isEvent: true,
    valid: object({ number: isText, status: (value) => isCount(value) && value >= 0 && value <= 8 }),
    ...taken(1),
  },
  "POST /workorderprocessing/confirmworkorderstep": {
    success: 1,
    valid: object(step, oneOf("amounttoconfirmpickingsummary", "amounttoconfirmplacinginbaseunitofmeasure")),
    answer: () => [1, { updateWorkOrderRequest: null }],
  },
  "POST /cartworkorderprocessing/confirmworkorderstep": {
    success: 1,
    valid: object({ ...step, amounttoconfirmsummary: (value) => value !== null && typeof value === "object" }),
    answer: () => [1, { updateWorkOrderRequest: null }],
  },
};

// ---- HTTP ----

/** The longest pattern that fits, and what stands in the place of its star. */
function find(method, path) {
  const folded = path.toLowerCase().replace(/(?<=.)\/$/, "");
  const exact = routes[`${method} ${folded}`];
  if (exact !== undefined) return { route: exact, value: "" };
  const pattern = Object.keys(routes)
    .filter(
      (one) =>
        one.endsWith("*") &&
        `${method} ${path.toLowerCase()}`.startsWith(one.slice(0, -1)) &&
        path.length > one.length - method.length - 2,
    )
    .sort((one, other) => other.length - one.length)[0];
  return pattern && { route: routes[pattern], value: decoded(path.slice(pattern.length - method.length - 2)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Member names in lower case at every level, so that any spelling is read. */
const folded = (value) => {
  if (Array.isArray(value)) return value.map(folded);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toLowerCase(), folded(inner)]));
};

function send(response, status, body, headers = {}) {
  const type = status === 200 ? "application/json; charset=utf-8" : "application/problem+json; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
}
const problem = (response, status, title, more = {}, headers = {}) =>
  send(response, status, { type: "about:blank", title, status, ...more }, headers);

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "" } = request;
  const [path, search] = (request.url ?? "").split(/\?(.*)/s);
  if (method === "GET" && same(path.replace(/\/$/, ""), "/status"))
    return send(response, 200, { version: "1.0.0", title: "Plain adapter", buildDateTime: "2026-11-01T00:00:00Z" });

  const found = find(method, path);
  if (found === undefined) {
    const other = ["GET", "POST"].find((one) => find(one, path) !== undefined);
    return other === undefined
      ? problem(response, 404, "Not Found")
      : problem(response, 405, "Method Not Allowed", {}, { allow: other });
  }
  const { route, value } = found;
  const query = Object.fromEntries([...new URLSearchParams(search)].map(([name, text]) => [name.toLowerCase(), text]));
  let body = null;
  if (route.valid !== undefined) {
    if (!/^application\/json/i.test(request.headers["content-type"] ?? ""))
      return problem(response, 415, "Unsupported Media Type");
    let wrong;
    try {
      body = folded(
        JSON.parse(
          Buffer.concat(chunks)
            .toString()
            .replace(/^\uFEFF/, ""),
        ),
      );
      wrong = route.valid(body);
    } catch {
      wrong = [["$", "The body is not JSON."]];
    }
    if (wrong.length > 0) {
      const errors = {};
      for (const [field, text] of wrong) errors[field] = [...(errors[field] ?? []), text];
      return problem(response, 400, "One or more validation errors occurred.", { errors });
    }
  }
  const [result, data = null, externalMessage = null] = route.answer({ value, query, body });
  const isResultSuccess = result === route.success;
  const envelope = { isResultSuccess, result, validationStatus: null, externalMessage };
  send(response, 200, route.isEvent ? envelope : { ...envelope, data: isResultSuccess ? data : null });
});

server.listen(Number(process.env.PORT ?? 8090), "127.0.0.1", () => {
  console.log(`Plain adapter on http://127.0.0.1:${server.address().port}`);
});
