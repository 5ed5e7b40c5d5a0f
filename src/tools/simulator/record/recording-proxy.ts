import { once } from "node:events";
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { type CapturedBody, type CapturedCall, rowFinder } from "./captured-call.ts";

export interface RecordingProxyNeeds {
  /** Address of the adapter, with its base path. */
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  /** Larger bodies are passed on but not kept. */
  readonly mostBodyBytes: number;
  readonly onCall: (call: CapturedCall) => void;
}

export interface RecordingProxy {
  /** The base address for the platform. */
  readonly url: string;
  /** Calls to other addresses, which are passed on and not recorded. */
  readonly others: () => number;
  readonly close: () => Promise<void>;
}

const bodiesTogether = 16;

/** A proxy between platform and adapter: passes every byte on unchanged, and keeps a copy. */
export async function startRecordingProxy(needs: RecordingProxyNeeds): Promise<RecordingProxy> {
  const { now, onCall, mostBodyBytes } = needs;
  const target = new URL(needs.target);
  const isTls = target.protocol === "https:";
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isTls ? requestHttps : requestHttp;
  const basePath = target.pathname.replace(/\/+$/, "");
  const findRow = rowFinder(basePath);
  const tee = openTee({ mostBytes: mostBodyBytes, mostTogether: bodiesTogether * mostBodyBytes });
  const beganAt = now();
  let sequence = 0;
  let others = 0;
  /** Calls that were not yet passed to `onCall`. */
  const underWay = new Set<Promise<void>>();

  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "/" } = incoming;
    const atMs = now() - beganAt;
    const found = findRow(method, url);
    const own = found === null ? null : { found, sequence: sequence++ };
    if (own === null) others++;
    const sent = own === null ? null : tee.watch(incoming);
    let answered: { from: IncomingMessage; body: () => CapturedBody } | null = null;
    const outgoing = send({
      ...{ agent, method, host: target.hostname.replace(/^\[|\]$/g, ""), port: target.port, path: url },
      headers: endToEndHeaders(incoming, { host: target.host }),
    });
    outgoing.on("response", (answer) => {
      if (own !== null) answered = { from: answer, body: tee.watch(answer) };
      // The adapter has set its own Date header.
      response.sendDate = false;
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", endToEndHeaders(answer));
      answer.pipe(response);
      // The platform must see an incomplete answer as incomplete, too.
      answer.on("error", () => response.destroy());
      answer.on("aborted", () => response.destroy());
    });
    outgoing.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { "content-type": "text/plain" }).end("The adapter cannot be reached.\n");
    });
    incoming.on("error", () => outgoing.destroy());
    incoming.pipe(outgoing);
    const over = new Promise<void>((resolve) => response.on("close", resolve)).then(() => {
      underWay.delete(over);
      if (!response.writableFinished) outgoing.destroy();
      const [request, whole] = [sent?.() ?? null, response.writableFinished];
      const body = answered?.body() ?? null;
      if (own === null) return;
      const from = answered?.from;
      onCall({
        ...{ ...own, atMs, tookMs: now() - beganAt - atMs, method, requestHeaders: incoming.headers, request },
        answer: from === undefined || !whole ? null : { status: from.statusCode ?? 0, headers: from.headers, body },
      });
    });
    underWay.add(over);
  };

  // No time limits: to the platform, a limit here would look like one of the adapter.
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 }, pass);
  server.listen(needs.port, needs.host);
  await once(server, "listening");
  // The address of a server on a port has this type.
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}${basePath}`,
    others: () => others,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(timer);
      // A connection may be closed before its call has noticed, so running calls are awaited.
      await Promise.all(underWay);
      agent.destroy();
    },
  };
}

/** Headers that are valid for one connection only. Each side has its own. */
const ofOneConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect"],
  ...["transfer-encoding", "host"],
]);

/** End-to-end headers in their original order and spelling, for the next connection. */
function endToEndHeaders(message: IncomingMessage, more: Readonly<Record<string, string>> = {}): string[] {
  const { rawHeaders, headers } = message;
  const named = new Set(
    String(headers.connection ?? "")
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const kept: string[] = Object.entries(more).flat();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (!ofOneConnection.has(lower) && !named.has(lower)) kept.push(name, value);
  }
  const isRequest = message.method !== undefined && message.method !== null;
  const isBodiless = headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  // Without this a request without a body would get an empty chunked one.
  if (isRequest && isBodiless && message.method !== "GET" && message.method !== "HEAD")
    kept.push("content-length", "0");
  if (headers["transfer-encoding"] !== undefined) kept.push("transfer-encoding", "chunked");
  return kept;
}

/** Keeps a copy of passing bytes, up to a size per body and a total size. */
interface Tee {
  readonly watch: (stream: Readable) => () => CapturedBody;
}

function openTee({ mostBytes, mostTogether }: { mostBytes: number; mostTogether: number }): Tee {
  let together = 0;
  return {
    watch: (stream) => {
      let chunks: Buffer[] | null = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        if (chunks === null) return;
        size += chunk.length;
        together += chunk.length;
        if (size <= mostBytes && together <= mostTogether) {
          chunks.push(chunk);
          return;
        }
        chunks = null;
        together -= size;
      });
      return () => {
        if (chunks === null) return null;
        // A copy: it is transferred to another thread, and the original buffers must stay here.
        const body = new Uint8Array(Buffer.concat(chunks));
        together -= size;
        chunks = null;
        return body;
      };
    },
  };
}
