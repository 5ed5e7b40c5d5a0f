import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Config } from "../../config/config-schema.ts";
import { routeMatcher } from "../../contract/derive/match-route.ts";
import type { Operation } from "../../contract/operation.ts";
import { operationRow } from "../../contract/operations.ts";
import { budgetMs, unreachable } from "../../engine/queries/call.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { say } from "../../messages/message.ts";
import type { StandbyView } from "../../replication/standby/standby.ts";
import { callerOf, notOwnerHeader, takeCaller } from "../../server/connection/passed-on.ts";
import { type Answer, answerOutcome, problemAnswer } from "../../server/contract/answer.ts";
import { within10s } from "../../server/create-listener.ts";
import type { Mount } from "../deployments/mount.ts";
import { tlsListener } from "../tls-listener.ts";
import { type PassOnLimits, passOn } from "./pass-on.ts";
import { trustInOwner } from "./trust-in-owner.ts";

/** Where a process is reached while another one owns the deployment. */
export interface StandbyDoor {
  readonly url: string;
  /** Takes no more requests: the port is free. What waits goes on, and is passed on to whoever becomes the owner. */
  readonly close: () => void;
  /** Ends what is still under way; settles when nothing is. */
  readonly end: () => Promise<void>;
}

export interface DoorNeeds {
  readonly host: string;
  readonly port: number;
  readonly config: Config;
  readonly view: () => StandbyView;
  readonly secret: () => string;
  readonly log: Log;
  /** Takes requests from a listener that serves several adapters; absent: it listens itself. */
  readonly mount?: Mount | undefined;
}

/** How long requests that are being passed on may finish when this process stops. */
const finishMs = 500;
/** For routes that are not in the contract. */
const otherBudgetMs = 5_000;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** Answers health checks itself and passes everything else on to the owner, so that callers may use any process. */
export async function openStandbyDoor(needs: DoorNeeds): Promise<StandbyDoor> {
  const { host, port, config, view, secret, log, mount } = needs;
  const { basePath, budgets, platform } = config;
  const match = routeMatcher(basePath);
  const tls = platform.tls === undefined ? null : tlsListener({ files: platform.tls, timers: systemTimers, log });
  let isClosing = false;

  const send = passOn({
    view,
    get secret() {
      return secret();
    },
    trust: platform.tls === undefined ? null : trustInOwner(platform.tls.cert),
  });

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split("?")[0];
    if (path === `${basePath}/health/live`) return void response.writeHead(200, json).end('{"live":true}');
    if (path === `${basePath}/health/ready`) {
      return void response.writeHead(503, json).end(JSON.stringify(readiness(view())));
    }
    takeCaller(request, secret());
    if (callerOf(request) !== undefined) {
      // It was passed on by another standby, which finds the owner sooner than a request that goes round.
      request.resume();
      return void response.writeHead(503, { ...json, [notOwnerHeader]: "1" }).end("{}");
    }
    const found = match(request.method ?? "GET", request.url ?? "/");
    const row = found !== null && "id" in found ? operationRow(found.id) : null;
    if (await send(request, response, limitsOf(row, request.method))) return;
    request.resume();
    if (response.headersSent) return void response.destroy();
    write(response, failureOf(row, request));
  };

  const limitsOf = (row: Operation | null, method: string | undefined): PassOnLimits =>
    row === null || row.budget === "none"
      ? // Reading changes nothing, so it can be asked again.
        { budgetMs: otherBudgetMs, isRepeatable: method === "GET" }
      : { budgetMs: Math.max(budgetMs(row, budgets), mount?.waitMs ?? 0), isRepeatable: row.kind === "query" };

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // Its connection belongs to the former door, and would keep it open.
    response.shouldKeepAlive &&= !isClosing;
    answer(request, response).catch(() => response.destroy());
  };
  if (mount !== undefined) {
    // It goes on until another handler takes its place, so that no request comes between two of them.
    mount.serve(onRequest);
    return { url: mount.url, close: () => {}, end: async () => {} };
  }
  const server =
    tls === null ? createServer(within10s, onRequest) : createSecureServer({ ...within10s, ...tls.options }, onRequest);
  if (tls !== null && "setSecureContext" in server) tls.follow(server);
  await listening(server, { host, port });
  // A server on a port has an address of this kind.
  const { port: bound } = server.address() as { port: number };
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    if (isClosing) return;
    isClosing = true;
    tls?.stop();
    server.close();
    server.closeIdleConnections();
  };
  return {
    url: `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}${basePath}`,
    close,
    end: async () => {
      close();
      const cut = setTimeout(() => server.closeAllConnections(), finishMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

function readiness({ owner, ownerUrl, behind, position, differs, trouble }: StandbyView) {
  const reason = trouble === null ? `standby; ${owner ?? "nobody"} owns the deployment` : `standby: ${trouble}`;
  const different = differs.length === 0 ? [] : [`its configuration differs from the owner's: ${differs.join(", ")}`];
  return { ready: false, reasons: [reason, ...different], standby: { owner, ownerUrl, behind, position } };
}

/** As the contract describes it for this row; problem details for everything else. */
function failureOf(row: Operation | null, { headers }: IncomingMessage): Answer {
  if (row === null || row.budget === "none") {
    return problemAnswer({
      status: 503,
      detail: "No owner of the deployment can be reached.",
      traceId: newReference(),
    });
  }
  const language = chooseLanguage(headers["accept-language"]);
  return answerOutcome(row, unreachable(row, say("general.taking-over")), language);
}

function write(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, {
    ...{ "content-type": contentType, "cache-control": "no-store" },
    ...(status === 503 ? { "retry-after": "1" } : {}),
  });
  response.end(typeof body === "string" ? body : undefined);
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
