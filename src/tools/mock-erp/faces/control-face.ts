import type { ErpBooks } from "../books/erp-books.ts";
import { readGivenOrder } from "../books/given-records.ts";
import { type ErpFaults, type Recorded, readErpFaults } from "../faults.ts";
import type { RestAnswer, RestRequest } from "./rest-face.ts";

export interface ControlNeeds {
  readonly books: ErpBooks;
  readonly recorded: Recorded;
  readonly faults: { current: ErpFaults };
}

const bad = (message: string): RestAnswer => ({ status: 400, json: { error: { code: "BAD_REQUEST", message } } });
const mostNewOrders = 1000;

/** The control routes: corrections by the office, outages and faults. Faults never affect these routes. */
export function controlFace({ books, recorded, faults }: ControlNeeds) {
  const overview = () => {
    const states: Record<string, number> = { released: 0, started: 0, completed: 0, cancelled: 0 };
    let stock = 0;
    for (const { state } of books.orders.values()) states[state] = (states[state] ?? 0) + 1;
    for (const item of books.items.values()) stock += item.stock;
    const counts = { events: books.eventCount(), repeats: books.repeatCount(), requests: recorded.count() };
    return { orders: states, items: books.items.size, stock, ...counts, faults: faults.current };
  };
  const commands: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => RestAnswer>> = {
    "/down": ({ down = true }) => {
      if (typeof down !== "boolean") return bad('send { "down": true } or { "down": false }');
      faults.current = { ...faults.current, isDown: down };
      return { status: 200, json: overview() };
    },
    "/faults": ({ faults: text }) => {
      const read = typeof text === "string" ? readErpFaults(text) : { problem: 'send { "faults": "5xx=1%" }' };
      if ("problem" in read) return bad(read.problem);
      faults.current = read;
      return { status: 200, json: overview() };
    },
    "/cancel": ({ order, line = null, reason = "cancelled by the office" }) => {
      const number = line === null ? null : Number(line);
      const refusal = books.cancel(String(order), number, String(reason));
      return refusal === null ? { status: 200, json: overview() } : { status: 404, json: { error: refusal } };
    },
    "/orders": ({ count = 1, order }) => {
      if (order !== undefined) {
        const given = readGivenOrder(order);
        return "problem" in given ? bad(given.problem) : { status: 200, json: { orders: [books.putOrder(given)] } };
      }
      const wanted = Number(count);
      if (!Number.isInteger(wanted) || wanted < 1 || wanted > mostNewOrders)
        return bad(`count is 1 to ${mostNewOrders}`);
      return { status: 200, json: { orders: Array.from({ length: wanted }, books.addOrder) } };
    },
    "/forget": () => {
      recorded.clear();
      return { status: 200, json: overview() };
    },
  };
  return ({ method, path, query, body }: RestRequest): RestAnswer => {
    const command = commands[path];
    if (method === "POST" && command !== undefined) return command(Object(body ?? {}));
    if (method === "GET" && path === "/state") return { status: 200, json: overview() };
    if (method === "GET" && path === "/recorded") {
      const requests = recorded.since(Number(query.get("since")) || 0);
      return { status: 200, json: { requests, events: books.events.slice(-1000), count: recorded.count() } };
    }
    const all = ["GET /state", "GET /recorded", ...Object.keys(commands).map((name) => `POST ${name}`)];
    return { status: 404, json: { error: { code: "NO_SUCH_ADDRESS", message: `there is ${all.join(", ")}` } } };
  };
}
