import type { IncomingMessage } from "node:http";

/** These are about one connection, and each side has its own. */
const ofOneConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect"],
  ...["transfer-encoding", "host"],
]);

/** Headers as they came, in their order and spelling, for the next connection. */
export function endToEndHeaders(message: IncomingMessage, more: Readonly<Record<string, string>> = {}): string[] {
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
  // Without this a request that has no body would get an empty one in chunks.
  if (isRequest && isBodiless && message.method !== "GET" && message.method !== "HEAD")
    kept.push("content-length", "0");
  if (headers["transfer-encoding"] !== undefined) kept.push("transfer-encoding", "chunked");
  return kept;
}
