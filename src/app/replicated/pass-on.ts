import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { Agent as SecureAgent, request as sendSecurely } from "node:https";
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { StandbyView } from "../../replication/standby/standby.ts";
import { certificateNames } from "../../server/auth/compile-senders.ts";
import { type Caller, callerHeaders, notOwnerHeader } from "../../server/connection/passed-on.ts";

/** Longer bodies are passed on while they arrive, and so only once. */
const keptBytes = 2 ** 20;
/** How often the owner's address is looked for while nobody owns the deployment. */
const lookEveryMs = 25;

export interface PassOnNeeds {
  readonly view: () => StandbyView;
  /** Known to all processes of the deployment. */
  readonly secret: string;
  /** How the owner proves who it is; null without TLS. */
  readonly trust: ConnectionOptions | null;
}

export interface PassOnLimits {
  /** How long the request may wait for an owner. */
  readonly budgetMs: number;
  /** Whether it may be sent again after it was sent and not answered. */
  readonly isRepeatable: boolean;
}

/** What became of a request: answered; not arrived at an owner, so that nothing was done; or nobody knows. */
type Result = "answered" | "not-arrived" | "lost";

/** Passes requests on to the owner; false if there was no owner for as long as the request could wait. */
export function passOn(needs: PassOnNeeds) {
  const connections = new WeakMap<Socket, Agent>();

  return async (request: IncomingMessage, response: ServerResponse, limits: PassOnLimits): Promise<boolean> => {
    const until = performance.now() + limits.budgetMs;
    const kept = await keptBody(request);
    for (;;) {
      const { ownerUrl } = needs.view();
      const result = ownerUrl === null ? "not-arrived" : await attempt(new URL(ownerUrl), request, response, kept);
      if (result === "answered" || response.destroyed) return true;
      const mayRepeat = kept !== null && (result === "not-arrived" || limits.isRepeatable);
      if (!mayRepeat || response.headersSent || performance.now() + lookEveryMs > until) return false;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  };

  function attempt(
    owner: URL,
    request: IncomingMessage,
    response: ServerResponse,
    kept: Buffer | null,
  ): Promise<Result> {
    const { method, url: path, socket } = request;
    const caller: Caller = {
      address: socket.remoteAddress ?? "",
      names: [...(certificateNames(request) ?? [])],
    };
    const headers = { ...request.headers, ...callerHeaders(needs.secret, caller, request) };
    const isSecure = owner.protocol === "https:";
    const target = { hostname: owner.hostname.replace(/^\[|\]$/g, ""), port: owner.port || (isSecure ? 443 : 80) };
    const options = { ...target, method, path, headers, agent: agentFor(socket, isSecure) };
    const { promise, resolve } = Promise.withResolvers<Result>();
    let isSent = false;
    const onward = (isSecure ? sendSecurely : send)(options, (answer) => {
      if (answer.headers[notOwnerHeader] !== undefined) {
        answer.resume();
        resolve("not-arrived");
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
      response.once("finish", () => withdrawIfGone(onward, socket));
      resolve("answered");
    });
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      resolve(isSent ? "lost" : "not-arrived");
    });
    // The caller hung up: the owner should know, or it would take the answer for received.
    const onClose = () => {
      if (!response.writableFinished) reset(onward);
    };
    response.once("close", onClose);
    // Not before there is a connection: a body that was sent to nobody is lost.
    whenConnected(onward, () => {
      isSent = true;
      if (kept === null) request.pipe(onward);
      else onward.end(kept);
    });
    return promise.finally(() => {
      // The next attempt has its own.
      if (!response.headersSent) response.off("close", onClose);
    });
  }

  /**
   * One connection to the owner for each connection of a caller, and not a pool: the owner takes a further request on
   * a connection as the proof that the answer before it arrived.
   */
  function agentFor(socket: Socket, isSecure: boolean): Agent {
    const known = connections.get(socket);
    if (known !== undefined && known instanceof SecureAgent === isSecure) return known;
    const settings = { keepAlive: true, maxSockets: 1, ...(isSecure ? needs.trust : {}) };
    const agent = isSecure ? new SecureAgent(settings) : new Agent(settings);
    connections.set(socket, agent);
    socket.once("error", () => {
      for (const one of socketsOf(agent)) one.resetAndDestroy();
    });
    socket.once("close", () => agent.destroy());
    return agent;
  }
}

function whenConnected(onward: ClientRequest, go: () => void): void {
  onward.once("socket", (socket) => {
    if (!socket.connecting) go();
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", go);
  });
}

const socketsOf = ({ sockets, freeSockets }: Agent): Socket[] =>
  [sockets, freeSockets].flatMap((byName) => Object.values(byName).flatMap((list) => list ?? []));

/** As the owner itself would notice it: a caller that is gone right after the answer was written has not read it. */
function withdrawIfGone(onward: ClientRequest, caller: Socket): void {
  setImmediate(() =>
    setImmediate(() => {
      if (caller.destroyed || caller.readableEnded) reset(onward);
    }),
  );
}

/** Not an ordinary end, which the owner takes for the end of a caller that has read its answer. */
function reset(onward: ClientRequest): void {
  onward.socket?.resetAndDestroy();
  onward.destroy();
}

/** The whole body if it is short, so that it can be sent more than once; null if it is passed on while it arrives. */
async function keptBody(request: IncomingMessage): Promise<Buffer | null> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined || Number(length ?? 0) > keptBytes) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
