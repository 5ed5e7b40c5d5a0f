import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Agent, type ClientRequest, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { Agent as SecureAgent, request as sendSecurely } from "node:https";
import type { Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from "node:tls";
import type { AnswerNotes } from "../../../engine/events/take-event.ts";
import type { StandbyView } from "../../../replication/standby/standby.ts";
import { certificateNames } from "../../../server/auth/compile-senders.ts";
import { giveLeave } from "../../../server/connection/expect-continue.ts";
import { type Caller, callerHeaders, entryHeader, notOwnerHeader } from "../../../server/connection/passed-on.ts";
import { provesReceipt, whenAnswerReceived } from "../../../server/connection/when-answer-received.ts";
import type { PassedAnswers } from "../answers/passed-answers.ts";
import { doubtfulEvents } from "./doubtful-events.ts";
import { resetConnection, resettableAgent } from "./resettable-agent.ts";

/** Longer bodies are passed on while they arrive, so they can be sent only once. */
const keptBytes = 2 ** 20;
const noBody = Buffer.alloc(0);
/** For answers that no later owner has to be told of. */
const noNotes: AnswerNotes = { written: () => {}, unread: () => {}, arrived: () => () => {} };
/** How often the owner's address is read while nobody owns the deployment. */
const checkEveryMs = 25;
/** Longer than a takeover takes. */
const usualDoubtMs = 8_000;
/** How often a request that is not answered looks for another owner. */
const watchEveryMs = 100;

export interface PassOnNeeds {
  readonly view: () => StandbyView;
  /** The secret that all processes of the deployment know. */
  readonly secret: string;
  /** How the owner is authenticated; null without TLS. */
  readonly trust: ConnectionOptions | null;
  /** The answers of earlier owners, which the next owner is told about. */
  readonly answers: PassedAnswers;
  /** How long an event waits for the next owner if the former one may have stored it. */
  readonly doubtMs?: number;
}

export interface PassOnLimits {
  /** How long the request may wait for an owner. */
  readonly budgetMs: number;
  /**
   * Whether the request may be sent again after it was sent and not answered. A `query` may, because it changes
   * nothing. An `event` may, because an owner recognises what is stored and not answered. A `push` may, because its
   * sender would do the same. Null: it may not.
   */
  readonly repeatable: "query" | "event" | "push" | null;
}

/**
 * What the caller gets: `answered` is its answer, or that it has hung up; `nobody` means that no owner was reached and nothing was done;
 * `doubtful` means no answer, because the result is unknown.
 */
type Passed = "answered" | "nobody" | "doubtful";

/**
 * What became of one attempt: `answered`; `not-arrived` at an owner, so that nothing was done; or `lost`, which means
 * unknown.
 */
type Result = "answered" | "not-arrived" | "lost";

/**
 * All processes of a deployment use the same certificate, so the owner is recognised by it, whatever its address. Any
 * other certificate must come from a known authority and match the owner's name.
 */
export function trustInOwner(certificateFile: string): ConnectionOptions {
  return {
    // Read at each connection, because the certificate is renewed while the process runs.
    get ca() {
      return [...getCACertificates("default"), readFileSync(certificateFile, "utf8")];
    },
    // The certificate itself is trusted, also without its authority.
    allowPartialTrustChain: true,
    checkServerIdentity: (host, shown) => {
      const own = new X509Certificate(readFileSync(certificateFile));
      return own.raw.equals(shown.raw) ? undefined : checkServerIdentity(host, shown);
    },
  };
}

/** Passes requests on to the owner, as long as a request can wait for one. */
export function passOn(needs: PassOnNeeds) {
  const connections = new WeakMap<Socket, Agent>();
  const doubtful = doubtfulEvents();
  const { doubtMs = usualDoubtMs } = needs;

  return async (request: IncomingMessage, response: ServerResponse, limits: PassOnLimits): Promise<Passed> => {
    let until = performance.now() + limits.budgetMs;
    provesReceipt(request.socket);
    giveLeave(request);
    const kept = await keptBody(request);
    const isEvent = limits.repeatable === "event";
    let isDoubtful = false;
    const doubt = () => {
      if (isDoubtful || !isEvent) return;
      isDoubtful = true;
      if (kept !== null) doubtful.add(request, kept);
      // A refusal would be wrong if the owner had stored it, so it waits longer than others.
      until = Math.max(until, performance.now() + doubtMs);
    };
    // The platform sends it once more, after it got no answer.
    if (isEvent && kept !== null && doubtful.has(request, kept)) doubt();
    for (;;) {
      // The caller sends the event again, perhaps directly to the owner. This one must not arrive after it.
      if (response.destroyed) return "answered";
      const { owner, ownerUrl } = needs.view();
      const result =
        ownerUrl === null
          ? "not-arrived"
          : await attempt({ name: owner ?? "", url: ownerUrl }, request, response, kept);
      if (result === "lost") doubt();
      if (result === "answered" && isDoubtful && kept !== null) doubtful.settle(request, kept);
      if (result === "answered" || response.destroyed) return "answered";
      const mayRepeat = kept !== null && (result === "not-arrived" || limits.repeatable !== null);
      if (!mayRepeat || response.headersSent || performance.now() + checkEveryMs > until) {
        return isDoubtful ? "doubtful" : "nobody";
      }
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    }
  };

  function attempt(
    { name, url }: { readonly name: string; readonly url: string },
    request: IncomingMessage,
    response: ServerResponse,
    kept: Buffer | null,
  ): Promise<Result> {
    const { method, url: path, socket } = request;
    const owner = new URL(url);
    const answered = needs.answers.unknownTo(name);
    const caller: Caller = {
      address: socket.remoteAddress ?? "",
      names: [...(certificateNames(request) ?? [])],
      answered,
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
      needs.answers.reported(answered);
      const { [entryHeader]: entry, ...given } = answer.headers;
      const notes = entry === undefined ? noNotes : needs.answers.notesOn(Number(entry), name);
      // If the caller has not read the answer, the owner must notice: it has seen only that this process read it.
      const unread = () => {
        notes.unread();
        reset(onward);
      };
      void whenAnswerReceived(response, { ...notes, unread });
      response.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
      resolve("answered");
    });
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      resolve(isSent ? "lost" : "not-arrived");
    });
    // If the caller hangs up, the owner must notice: otherwise the owner would count the answer as received.
    const onClose = () => {
      if (!response.writableFinished) reset(onward);
    };
    response.once("close", onClose);
    // Sent only on an open connection: a body that was sent before would be lost.
    whenConnected(onward, () => {
      isSent = true;
      if (kept === null) request.pipe(onward);
      else onward.end(kept);
    });
    // A paused or unreachable owner does not answer, but the next owner can.
    const watching = setInterval(() => {
      const next = needs.view();
      if (kept !== null && next.ownerUrl !== null && next.owner !== name && !response.headersSent) reset(onward);
    }, watchEveryMs);
    return promise.finally(() => {
      clearInterval(watching);
      // The next attempt adds its own listener.
      if (!response.headersSent) response.off("close", onClose);
    });
  }

  /**
   * Returns the connection to the owner for a caller's connection. There is no pool: the owner takes a further request
   * on a connection as proof that the previous answer arrived.
   */
  function agentFor(socket: Socket, isSecure: boolean): Agent {
    const known = connections.get(socket);
    if (known !== undefined && known instanceof SecureAgent === isSecure) return known;
    const agent = resettableAgent(isSecure ? (needs.trust ?? {}) : null);
    connections.set(socket, agent);
    endWith(socket, agent);
    return agent;
  }
}

/** The connections that end with a caller's connection. */
const endingWith = new WeakMap<Socket, Agent[]>();

/**
 * Ends the connections to owners with the caller's. A caller may use one connection for hundreds of deployments, so it
 * has one listener for all of them.
 */
function endWith(socket: Socket, agent: Agent): void {
  const known = endingWith.get(socket);
  if (known !== undefined) {
    known.push(agent);
    return;
  }
  const agents = [agent];
  endingWith.set(socket, agents);
  socket.once("error", () => {
    for (const one of agents.flatMap(socketsOf)) resetConnection(one);
  });
  socket.once("close", () => {
    for (const one of agents) one.destroy();
  });
}

function whenConnected(onward: ClientRequest, go: () => void): void {
  onward.once("socket", (socket) => {
    if (!socket.connecting) go();
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", go);
  });
}

const socketsOf = ({ sockets, freeSockets }: Agent): Socket[] =>
  [sockets, freeSockets].flatMap((byName) => Object.values(byName).flatMap((list) => list ?? []));

function reset(onward: ClientRequest): void {
  if (onward.socket !== null) resetConnection(onward.socket);
  onward.destroy();
}

/**
 * Returns the whole body if it is short, so that it can be sent more than once; null if it is passed on while it
 * arrives.
 */
async function keptBody(request: IncomingMessage): Promise<Buffer | null> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  // Most requests have none, and reading none takes longer than everything else here.
  if (encoding === undefined && length === undefined) return noBody;
  if (encoding !== undefined || Number(length ?? 0) > keptBytes) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
