import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ExampleErp } from "../shift/example-erp.ts";
import { booking, type Received } from "./booking.ts";
import { articles, openingOrders } from "./orders.ts";

const token = "rest-erp-token";
const picture = () => readFileSync(join(import.meta.dirname, "100100.png"));

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly method: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
}

/** A small ERP with a REST interface: lists in pages, errors with status 200, one booking per idempotency key. */
export async function startErp(): Promise<ExampleErp> {
  const orders = openingOrders();
  const totes = new Map<string, string>();
  const cancellations: { DocNum: string; LineNo: string; Reason: string; ChangedAt: string }[] = [];
  const book = new Map<string, Received>();
  const error = (code: string, message: string) => ({ error: { code, message } });

  const find = (query: URLSearchParams): object => {
    const barcode = query.get("barcode");
    const wave = query.get("wave");
    if (barcode !== null && !orders.some(({ DocNum }) => String(DocNum) === barcode))
      return error("NOT_FOUND", `There is no order ${barcode}. Ask the office.`);
    const found = orders.filter(
      (one) => (barcode === null || String(one.DocNum) === barcode) && (wave === null || one.Wave === wave),
    );
    const size = Number(query.get("per_page") ?? found.length);
    const from = (Number(query.get("page") ?? 1) - 1) * size;
    return { data: { items: found.slice(from, from + size), total: found.length } };
  };

  const tell = ({ path, body, key }: Asked): object => {
    const [, order] = /^\/orders\/([^/]+)\/tote$/.exec(path) ?? [];
    const tote = String(body["tote"]);
    if (order !== undefined && body["action"] === "take") {
      const holder = totes.get(tote) ?? order;
      if (holder !== order) return error("TOTE_IN_USE", `${tote} is used by order ${holder}. Take another one.`);
      totes.set(tote, order);
    }
    // A key that is known was booked before: the answer got lost on its way.
    if (!book.has(key)) book.set(key, { path, body });
    return { data: { ok: true } };
  };

  const answer = (asked: Asked, response: ServerResponse): void => {
    const { path, query, method } = asked;
    const [, article, isPicture] = /^\/articles\/([^/]+)(\/picture)?$/.exec(path) ?? [];
    const known = articles.find((one) => one.Article === article);
    const json = (value: object) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (isPicture !== undefined && article !== "100100") response.writeHead(404).end();
    else if (isPicture !== undefined) response.setHeader("content-type", "image/png").end(picture());
    else if (method === "POST") json(tell(asked));
    else if (path === "/orders") json(find(query));
    else if (path === "/cancellations") {
      const since = Date.parse(query.get("changed_since") ?? "");
      json({ data: { items: cancellations.filter(({ ChangedAt }) => !(Date.parse(ChangedAt) < since)) } });
    } else if (path === "/ping") json({ data: { ok: true } });
    else json(known === undefined ? error("NOT_FOUND", `There is no article ${article}.`) : { data: known });
  };

  const server = createServer((request, response) => void read(request).then((asked) => receive(asked, response)));
  const receive = (asked: Asked | null, response: ServerResponse) =>
    asked === null ? response.writeHead(401).end() : answer(asked, response);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;

  return {
    env: { ERP_URL: `http://127.0.0.1:${port}/api`, ERP_TOKEN: token },
    isAskedLive: true,
    booked: async () => [...book].flatMap(([key, received]) => booking(key, received)),
    cancelLine: async (DocNum, LineNo) => {
      cancellations.push({ DocNum, LineNo, Reason: "sold out", ChangedAt: new Date().toISOString() });
    },
    mendBadOrder: async () => {
      for (const line of orders.find(({ DocNum }) => DocNum === 4719)?.Lines ?? []) line.Qty = 2;
    },
    goDown: close,
    comeBack: () => listen(port),
    close,
  };
}

/** Null where the token is missing. */
async function read(request: IncomingMessage): Promise<Asked | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.headers.authorization !== `Bearer ${token}`) return null;
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://erp");
  const text = Buffer.concat(chunks).toString();
  return {
    ...{
      path: decodeURIComponent(pathname.replace(/^\/api/, "")),
      query: searchParams,
      method: request.method ?? "GET",
    },
    ...{ key: String(request.headers["idempotency-key"]), body: text === "" ? {} : JSON.parse(text) },
  };
}
