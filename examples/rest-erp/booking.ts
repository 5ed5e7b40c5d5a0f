import type { Booking } from "../shift/example-erp.ts";

/** A request as the ERP got it, in the form that `crossdock.yaml` gives it. */
export interface Received {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request means in the books. */
export function booking(id: string, { path, body }: Received): readonly (Booking & { readonly id: string })[] {
  const [, ofOrder, what] = /^\/orders\/([^/]+)\/(tote|state)$/.exec(path) ?? [];
  const text = (name: string) => String(body[name]);
  const order = ofOrder ?? text("order");
  if (what === "tote") {
    const event = body["action"] === "release" ? "release" : "attach";
    return [{ id, event, order, container: text("tote") }];
  }
  if (what === "state") return [{ id, event: "state", order, text: text("state") }];
  switch (path) {
    case "/picks": {
      // As the configuration sends it: one element per container.
      const totes = body["totes"] as { tote: string; qty: number }[];
      const one = { id, event: "pick", order, line: text("line"), place: text("from") } as const;
      return totes.map(({ tote, qty }) => ({ ...one, amount: qty, container: tote }));
    }
    case "/placements":
      return [{ id, event: "put", order, item: text("article"), amount: Number(body["qty"]), place: text("slot") }];
    case "/cancelled-articles":
      return [{ id, event: "cancel item", order, item: text("article") }];
    case "/cancelled-lines":
      return [{ id, event: "cancel line", order, line: text("line"), item: text("article") }];
    case "/moves":
      return [{ id, event: "move", order, container: text("tote"), place: text("to") }];
    case "/receipts":
      return [{ id, event: "receipt", order, line: text("line"), text: text("outcome") }];
    default:
      throw new Error(`the ERP got a request that it does not know: ${path}`);
  }
}
