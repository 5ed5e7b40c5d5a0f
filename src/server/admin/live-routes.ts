import type { FastifyInstance, FastifyRequest } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import type { Overview } from "../../engine/journal-view/open-overview.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { writeRefusal } from "../auth/sender-check.ts";
import { type AdminGate, sessionToken } from "./admin-gate.ts";

export interface LiveRouteNeeds {
  readonly gate: AdminGate;
  readonly overview: Pick<Overview, "targets">;
  /** What else the overview shows. A change of it is announced too. */
  readonly alsoShown: () => unknown;
  readonly timers: Timers;
  /**
   * Returns the current configuration, which changes with every reload. An open stream must not keep a replaced one in
   * use.
   */
  readonly current: () => object;
  readonly basePath: string;
  readonly newReference: () => string;
}

const everyMs = 1_000;
/** Proxies close a connection that is silent for a minute. */
const quietMs = 20_000;
const mostStreams = 200;

interface Stream {
  readonly request: FastifyRequest;
  /** Whether the open stream itself counts as use of the session. */
  readonly isUse: boolean;
  readonly write: (text: string) => void;
  readonly end: () => void;
}

/**
 * Server-sent events for open consoles: sends the state of all targets whenever it, an alarm or the quarantine changes. All streams share one query
 * per second; without an open stream there is none.
 */
export function liveRoutes(app: FastifyInstance, needs: LiveRouteNeeds): void {
  const { gate, overview, alsoShown, timers, current, basePath, newReference } = needs;
  const streams = new Set<Stream>();
  let cancel: (() => void) | null = null;
  let sent = "";
  let sentAt = 0;
  let snapshot: object | null = null;

  const maySee = ({ request, isUse }: Stream): boolean => {
    const token = sessionToken(request);
    if (gate.principalOf(request).session === null) return true;
    if (token === null) return false;
    return (isUse ? gate.sessions.use(token) : gate.sessions.find(token)) !== null;
  };
  const check = () => {
    cancel = null;
    // After a reload all streams end, and the browsers open new ones.
    const isReplaced = snapshot !== current();
    for (const stream of streams) if (isReplaced || !maySee(stream)) stream.end();
    if (streams.size === 0) return;
    const now = timers.passed();
    const targets = JSON.stringify(overview.targets());
    const state = targets + JSON.stringify(alsoShown());
    const text =
      state !== sent ? `event: changed\ndata: ${targets}\n\n` : now - sentAt >= quietMs ? ": still here\n\n" : "";
    if (text !== "") {
      sent = state;
      sentAt = now;
      for (const stream of streams) stream.write(text);
    }
    cancel = timers.after(everyMs, check);
  };

  app.get(`${basePath}/admin/live`, { onRequest: gate.routeCheck("GET /admin/live") }, (request, reply) => {
    if (streams.size >= mostStreams) {
      const detail = "Too many consoles are open. This one is refreshed by hand.";
      return writeRefusal(reply, { status: 503, detail, retryAfterSeconds: 60 }, newReference);
    }
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...{ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
      // Without this header a proxy may buffer the answer and hold back every event.
      ...{ "x-content-type-options": "nosniff", "x-accel-buffering": "no" },
    });
    const stream: Stream = {
      request,
      isUse: isWall(request) && gate.principalOf(request).role === "viewer",
      // A client that does not read is dropped: its events would fill the memory.
      write: (text) => {
        if (!raw.write(text)) raw.destroy();
      },
      end: () => {
        streams.delete(stream);
        raw.end();
      },
    };
    raw.on("close", () => streams.delete(stream));
    if (streams.size === 0) snapshot = current();
    streams.add(stream);
    stream.write(`retry: 3000\nevent: changed\ndata: ${JSON.stringify(overview.targets())}\n\n`);
    cancel ??= timers.after(everyMs, check);
  });
  // Open streams have to be ended here. Otherwise stopping would wait for the browsers.
  app.addHook("preClose", (done) => {
    cancel?.();
    for (const stream of streams) stream.end();
    done();
  });
}

/**
 * Nobody touches a screen on the wall. Only a viewer's session is kept open for it: whoever passes by such a screen can
 * read there, and nothing else.
 */
function isWall({ url }: FastifyRequest): boolean {
  const [, rawQuery = ""] = url.split("?", 2);
  return readQuery(rawQuery).get("view") === "wall";
}
