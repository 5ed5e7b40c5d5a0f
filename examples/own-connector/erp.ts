import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { WorkOrderStatus } from "../../src/contract/enums.ts";
import type { Booking, ExampleErp } from "../shift/example-erp.ts";
import { openingOrders } from "./orders.ts";

const picture = () => readFileSync(join(import.meta.dirname, "100100.png")).toString("base64");
const titles: Readonly<Record<string, string>> = { "100100": "Claw hammer", "100200": "Spirit level" };

/** What the connector sends: the same with the amount of the whole step in the unit of the order's line. */
type SentBooking = Booking & { readonly amount?: number };

/** The platform has numbers for states. This ERP counts pieces only, so both amounts are the same, and one is kept. */
const inWords = ({ amount: _same, ...booking }: SentBooking): Booking =>
  booking.note === String(WorkOrderStatus.CompletedWithCancelations) ? { ...booking, note: "completed" } : booking;

interface Query {
  readonly query?: "orders" | "item" | "picture" | "cancellations";
  readonly nr?: string;
  readonly batch?: string;
  readonly number?: string;
  readonly after?: number;
  readonly book?: readonly SentBooking[];
  readonly id?: string;
}

/** A small ERP that speaks one line of JSON per query over a plain connection. */
export async function startErp(): Promise<ExampleErp> {
  const orders = openingOrders();
  const totes = new Map<string, string>();
  const cancelled: { seq: number; order: string; line: string }[] = [];
  const books = new Map<string, readonly Booking[]>();

  const bookAll = (id: string, bookings: readonly SentBooking[]): object => {
    for (const { what, order, tote = "" } of bookings) {
      const holder = totes.get(tote) ?? order;
      if (what === "attach" && holder !== order) return { no: `${tote} belongs to order ${holder}.` };
      if (what === "attach") totes.set(tote, order);
    }
    if (!books.has(id)) books.set(id, bookings.map(inWords));
    return {};
  };
  const answer = ({ query, nr, batch, number = "", after = 0, book, id = "" }: Query): unknown => {
    if (book !== undefined) return bookAll(id, book);
    if (query === "item") return titles[number] === undefined ? null : { title: titles[number], grams: 680 };
    if (query === "picture") return number === "100100" ? picture() : null;
    if (query === "cancellations") return cancelled.filter(({ seq }) => seq > after);
    return orders.filter((one) => (nr ?? one.nr) === one.nr && (batch ?? one.batch) === one.batch);
  };

  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (piece: string) => {
      text += piece;
      // As the connector writes it: one line per connection.
      if (text.endsWith("\n")) socket.end(`${JSON.stringify(answer(JSON.parse(text) as Query))}\n`);
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;

  return {
    env: { ERP_PORT: String(port) },
    isAskedLive: true,
    booked: async () => [...books].flatMap(([id, bookings]) => bookings.map((booking) => ({ id, ...booking }))),
    cancelLine: async (order, line) => void cancelled.push({ seq: cancelled.length + 1, order, line }),
    mendBadOrder: async () => {
      for (const line of orders.find(({ nr }) => nr === "4719")?.lines ?? []) line.pieces = 2;
    },
    goDown: close,
    comeBack: () => listen(port),
    close,
  };
}
