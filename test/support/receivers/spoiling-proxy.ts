import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { envelopeHead } from "../../../src/contract/envelope.ts";
import { type OperationId, operationRow } from "../../../src/contract/operations.ts";

interface Spoiling {
  readonly fault: "twice" | "swallowed" | "no update";
  readonly id: OperationId;
  /** Which event of this kind is spoiled. Updates are withheld from that event on. */
  readonly nth: number;
}

/**
 * An adapter that does one thing wrong: a real adapter behind a proxy that sends an event twice, drops it, or withholds
 * updates.
 */
export async function spoilingProxy(target: string, { fault, id, nth }: Spoiling) {
  const row = operationRow(id);
  let seen = 0;
  let spoiled: { readonly order: string; readonly item: string } | null = null;
  const pass = async (request: IncomingMessage, body: Buffer) => {
    const { connection: _, host: __, "content-length": ___, "transfer-encoding": ____, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method ?? "GET",
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isKind = request.method === row.method && request.url === row.path && ++seen >= nth;
    const isOne = isKind && seen === nth;
    if (isOne) {
      const { workOrderNumber: order, itemNumber: item } = JSON.parse(body.toString()) as Record<string, string>;
      spoiled = { order: order ?? "", item: item ?? "" };
    }
    if (isOne && fault === "twice") await pass(request, body);
    const { status, text } =
      isOne && fault === "swallowed"
        ? { status: 200, text: `${envelopeHead(row, row.success)}null}` }
        : await pass(request, body);
    const shown = isKind && fault === "no update" ? text.replace(/"data":\{.*\}\}$/s, '"data":null}') : text;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(shown);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, spoiled: () => spoiled };
}
