import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveJobs } from "../../../bench/harness/processes/serve-jobs.ts";
import { elsewhere, type Misbehaviour, misbehaviours } from "./misbehave.ts";
import type { Arrival, Manner, ReceiverJob } from "./receiver.ts";

/** The external system: accepts and remembers everything, and misbehaves on demand. */
const arrivals: Arrival[] = [];
const accepted = new Set<string>();
let manner: Manner = {};
let elsewhereVisits = 0;
/** Counts arrivals and acceptances together, so that their order is known. */
let tick = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("error", () => {});
  request.on("end", () => take(request, response, Buffer.concat(chunks).toString()));
});
server.keepAliveTimeout = 60_000;

function take(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.url === elsewhere) elsewhereVisits++;
  const header = (name: string) => String(request.headers[name] ?? "");
  const at = Date.now();
  const arrival: Arrival = {
    id: header("idempotency-key").replaceAll('"', ""),
    seq: Number(header("crossdock-seq")),
    position: header("crossdock-key-seq"),
    order: header("ce-subject"),
    attempt: Number(header("crossdock-attempt")),
    userEmail: /"userEmail":"([^"]*)"/.exec(body)?.[1] ?? "",
    at,
    answeredAt: at,
    tick: ++tick,
    acceptedTick: null,
    misbehaved: null,
  };
  arrivals.push(arrival);
  const { misbehaviour, poisoned = [], latencyMs = 0 } = manner;
  if (poisoned.includes(arrival.order)) return void response.writeHead(422).end();
  const chosen = misbehaviour === undefined ? null : chooseFor(arrival, misbehaviour);
  if (chosen !== null) {
    arrival.misbehaved = chosen;
    return void misbehaviours[chosen]({ request, response });
  }
  const accept = () => {
    arrival.acceptedTick = ++tick;
    arrival.answeredAt = Date.now();
    accepted.add(arrival.id);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  };
  if (latencyMs === 0) accept();
  else setTimeout(accept, Math.random() * latencyMs);
}

const met = new Set<string>();

/**
 * If faults are mixed with good answers, only the first attempt of an entry fails: the next attempt shows that nothing
 * was lost.
 */
function chooseFor({ id }: Arrival, choices: NonNullable<Manner["misbehaviour"]>): Misbehaviour | null {
  if (met.has(id) && manner.always !== true) return null;
  met.add(id);
  return choices[met.size % choices.length] ?? null;
}

const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
await listen(0);
const { port } = server.address() as AddressInfo;

await serveJobs(() => ({
  ready: { url: `http://127.0.0.1:${port}/events` },
  run: async (given) => {
    const job = given as ReceiverJob;
    if (job.do === "behave") manner = job.manner;
    if (job.do === "go down" && server.listening) {
      server.close();
      server.closeAllConnections();
    }
    if (job.do === "come up" && !server.listening) await listen(port);
    if (job.do === "forget") {
      arrivals.length = 0;
      accepted.clear();
    }
    if (job.do === "show") return arrivals;
    const lastAt = arrivals.at(-1)?.at ?? null;
    return { arrivals: arrivals.length, accepted: accepted.size, elsewhereVisits, lastAt };
  },
  close: async () => void server.closeAllConnections(),
}));
