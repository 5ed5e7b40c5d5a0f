import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../../../kit/ids.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { drawErpFault, type ErpFault, type ErpFaults, type Recorded, readErpFaults } from "../faults.ts";
import { readGivenOrder } from "../state/erp-records.ts";
import type { ErpState } from "../state/erp-state.ts";
import type { RestAnswer, RestRequest } from "./rest-face.ts";

type Face = (request: RestRequest) => RestAnswer;

export interface HttpFacesNeeds {
  readonly host: string;
  readonly port: number;
  /** Required as bearer token; null requires none. */
  readonly token: string | null;
  readonly rest: Face;
  readonly control: Face;
  readonly faults: { current: ErpFaults };
  readonly random: Random;
  readonly recorded: Recorded;
  readonly timers: Timers;
  readonly now: () => number;
}

const mostBodyBytes = 16 * 2 ** 20;
const mostRecordedCharacters = 20_000;
const page = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>";

/** One server for both: requests to `/api` meet the simulated faults, requests to `/control` do not. */
export async function openHttpFaces(needs: HttpFacesNeeds): Promise<{ url: string; close: () => Promise<void> }> {
  const { rest, control, faults, random, recorded, timers, now, token } = needs;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "/", "http://erp");
    const isControl = pathname.startsWith("/control/");
    // Drawn before any `await`, so that only the order of requests decides and the same seed gives the same faults.
    const fault = isControl ? null : drawErpFault(random, faults.current);
    const text = await bodyOf(incoming);
    const path = decoded(pathname.replace(/^\/(api|control)/, ""));
    const key = String(incoming.headers["idempotency-key"] ?? "") || null;
    const method = incoming.method ?? "GET";
    const request = { method, path, query, key, body: text === null ? undefined : parsed(text) };
    if (isControl) {
      // A page in a browser cannot send this content type without a preflight request.
      const isOurs = method === "GET" || incoming.headers["content-type"]?.startsWith("application/json") === true;
      write(response, isOurs ? control(request) : { status: 415, json: { error: { message: "send JSON" } } });
      return;
    }
    const judged = judge(request, fault, incoming, text);
    const shown =
      text === null ? "too large" : text.length > mostRecordedCharacters ? text.slice(0, 200) : request.body;
    const asked = { method, path: `${path}${query.size === 0 ? "" : `?${query}`}`, key, body: shown ?? null };
    recorded.add({ at: new Date(now()).toISOString(), ...asked, status: judged?.status ?? null, fault });
    if (fault === "hang") return;
    if (judged === null) response.destroy();
    else if (fault === "slow") timers.after(faults.current.slowMs, () => write(response, judged));
    else write(response, judged);
  };

  /** Returns null if the request gets no answer. */
  const judge = (
    request: RestRequest,
    fault: ErpFault | null,
    { headers, url }: IncomingMessage,
    text: string | null,
  ) => {
    if (fault === "down" || fault === "hang") return null;
    if (fault === "html") return { status: 200, headers: { "content-type": "text/html" }, bytes: Buffer.from(page) };
    if (fault === "5xx") {
      return {
        status: random.chance(0.5) ? 500 : 503,
        json: { error: { code: "TROUBLE", message: "Try again later." } },
      };
    }
    if (token !== null && headers.authorization !== `Bearer ${token}`) return { status: 401, json: { error: {} } };
    if (url?.startsWith("/api/") !== true)
      return { status: 404, json: { error: { message: "see /api and /control" } } };
    if (text === null) return { status: 413, json: { error: { message: "too large" } } };
    const done = rest(request);
    return fault === "lost" ? null : done;
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  server.listen(needs.port, needs.host);
  await once(server, "listening");
  // The address of a server on a port has this type.
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns null if the body is too large. The rest is read and discarded, so that the client can read the answer. */
async function bodyOf(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    // A request without an encoding gives bytes.
    size += (chunk as Buffer).length;
    // The chunk is a Buffer, as above.
    if (size <= mostBodyBytes) chunks.push(chunk as Buffer);
  }
  return size > mostBodyBytes ? null : Buffer.concat(chunks).toString();
}

function write(response: ServerResponse, { status, headers, json, bytes }: RestAnswer): void {
  const type = json === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, { ...type, ...headers }).end(bytes ?? (json === undefined ? "" : JSON.stringify(json)));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ControlNeeds {
  readonly erp: ErpState;
  readonly recorded: Recorded;
  readonly faults: { current: ErpFaults };
}

const bad = (message: string): RestAnswer => ({ status: 400, json: { error: { code: "BAD_REQUEST", message } } });
const mostNewOrders = 1000;

/** The control routes: corrections by the office, outages and faults. Faults never affect these routes. */
export function controlFace({ erp, recorded, faults }: ControlNeeds) {
  const overview = () => {
    const states: Record<string, number> = { released: 0, started: 0, completed: 0, cancelled: 0 };
    let stock = 0;
    for (const { state } of erp.orders.values()) states[state] = (states[state] ?? 0) + 1;
    for (const item of erp.items.values()) stock += item.stock;
    const counts = { events: erp.eventCount(), repeats: erp.repeatCount(), requests: recorded.count() };
    return { orders: states, items: erp.items.size, stock, ...counts, faults: faults.current };
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
      const refusal = erp.cancel(String(order), number, String(reason));
      return refusal === null ? { status: 200, json: overview() } : { status: 404, json: { error: refusal } };
    },
    "/orders": ({ count = 1, order }) => {
      if (order !== undefined) {
        const given = readGivenOrder(order);
        return "problem" in given ? bad(given.problem) : { status: 200, json: { orders: [erp.putOrder(given)] } };
      }
      const wanted = Number(count);
      if (!Number.isInteger(wanted) || wanted < 1 || wanted > mostNewOrders)
        return bad(`count is 1 to ${mostNewOrders}`);
      return { status: 200, json: { orders: Array.from({ length: wanted }, erp.addOrder) } };
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
      return { status: 200, json: { requests, events: erp.events.slice(-1000), count: recorded.count() } };
    }
    const all = ["GET /state", "GET /recorded", ...Object.keys(commands).map((name) => `POST ${name}`)];
    return { status: 404, json: { error: { code: "NO_SUCH_ADDRESS", message: `there is ${all.join(", ")}` } } };
  };
}
