import { type ErpOrder, picture } from "../state/erp-records.ts";
import type { ErpState, Refusal } from "../state/erp-state.ts";
import { readDocument, readEvent } from "../state/read-event.ts";

export interface RestRequest {
  readonly method: string;
  /** Decoded path below `/api`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly key: string | null;
  readonly body: unknown;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

const statusOf = { NOT_FOUND: 404, TOTE_IN_USE: 409, BAD_EVENT: 422 } as const;
const usualPage = 50;
const largestPage = 500;

/** The ERP's REST interface: orders and items in pages, pictures, cancellations, and events that are processed once. */
export function restFace(erp: ErpState, { isErrorInBody }: { readonly isErrorInBody: boolean }) {
  const refuse = ({ code, message }: Refusal): RestAnswer => ({
    status: isErrorInBody ? 200 : statusOf[code],
    json: { error: { code, message } },
  });
  const notFound = (message: string) => refuse({ code: "NOT_FOUND", message });

  const listed = (all: readonly object[], { query }: RestRequest): RestAnswer => {
    const size = Math.min(largestPage, Math.max(1, Number(query.get("per_page")) || usualPage));
    const page = Math.max(1, Math.trunc(Number(query.get("page"))) || 1);
    const items = all.slice((page - 1) * size, page * size);
    const next = new URLSearchParams(query);
    next.set("page", String(page + 1));
    const headers = page * size < all.length ? { link: `<?${next}>; rel="next"` } : {};
    return { status: 200, headers, json: { data: { items, page, total: all.length } } };
  };

  const event = ({ path, body, key }: RestRequest): RestAnswer => {
    const isDocument = path === "/bookings";
    const topic = isDocument ? "booking" : path.slice("/events/".length);
    if (key === null) return refuse({ code: "BAD_EVENT", message: "An event needs the header Idempotency-Key." });
    try {
      const bookings = isDocument ? readDocument(body) : (readEvent(topic, body) ?? []);
      if (bookings === null) return refuse({ code: "BAD_EVENT", message: "This is nothing that can be booked." });
      const refusal = erp.book({ id: key, topic, bookings });
      return refusal === null ? { status: 200, json: { data: { booked: true } } } : refuse(refusal);
    } catch {
      return refuse({ code: "BAD_EVENT", message: `This is no event ${topic}.` });
    }
  };

  return (request: RestRequest): RestAnswer => {
    const { method, path, query } = request;
    if (method === "POST" && (path.startsWith("/events/") || path === "/bookings")) return event(request);
    if (method !== "GET")
      return { status: 405, json: { error: { code: "METHOD", message: "Only events are posted." } } };
    const since = Date.parse(query.get("changed_since") ?? "");
    const isNew = ({ changedAt }: { readonly changedAt: string }) => !(Date.parse(changedAt) < since);
    const [, kind, number = "", isPicture] = /^\/(orders|items)(?:\/([^/]+)(\/picture)?)?$/.exec(path) ?? [];
    if (path === "/ping") return { status: 200, json: { data: { ok: true } } };
    if (path === "/cancellations") return listed(erp.cancellations.filter(isNew), request);
    if (kind === "orders" && number === "") {
      return listed(
        [...erp.orders.values()].filter((order) => isNew(order) && isWanted(order, query)),
        request,
      );
    }
    if (kind === "items" && number === "") return listed([...erp.items.values()], request);
    const found = kind === "orders" ? erp.orders.get(number) : erp.items.get(number);
    if (kind === undefined) return { status: 404, json: { error: { code: "NO_SUCH_ADDRESS", message: path } } };
    if (isPicture !== undefined) {
      // A picture request has no JSON body for an error.
      if (found === undefined || !("hasPicture" in found) || !found.hasPicture) return { status: 404 };
      return { status: 200, headers: { "content-type": "image/gif" }, bytes: picture(number) };
    }
    if (found === undefined) return notFound(`There is no ${kind.slice(0, -1)} ${number}. Ask the office.`);
    return { status: 200, json: { data: found } };
  };
}

function isWanted(order: ErpOrder, query: URLSearchParams): boolean {
  const [state, wave, warehouse] = [query.get("state"), query.get("wave"), query.get("warehouse")];
  const isOpen = order.state === "released" || order.state === "started";
  return (
    (state === null || (state === "open" ? isOpen : order.state === state)) &&
    (wave === null || order.wave === wave) &&
    (warehouse === null || order.warehouse === warehouse)
  );
}
