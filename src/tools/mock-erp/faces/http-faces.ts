import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../../../kit/seeded-random.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { drawErpFault, type ErpFault, type ErpFaults, type Recorded } from "../faults.ts";
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

/** One server: `/api` is the ERP with its faults, `/control` has none. */
export async function openHttpFaces(needs: HttpFacesNeeds): Promise<{ url: string; close: () => Promise<void> }> {
  const { rest, control, faults, random, recorded, timers, now, token } = needs;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "/", "http://erp");
    const isControl = pathname.startsWith("/control/");
    // Drawn before any `await`: the order of requests decides, so that the same seed gives the same faults.
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

  /** Null if there is no answer. */
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

/** Null if it is too large; the rest is read and discarded, so that the client can read the answer. */
async function bodyOf(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    // A request without an encoding gives bytes.
    size += (chunk as Buffer).length;
    // The same bytes.
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
