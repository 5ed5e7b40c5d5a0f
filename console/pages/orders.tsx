import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type OrderPage, type OrderView, orderStates } from "../../src/engine/journal-view/orders/order-view.ts";
import type { AdapterOverview } from "../../src/server/admin/overview-routes.ts";
import { address, pathTo, setFilters } from "../address.ts";
import { Link, PageLinks } from "../parts/link.tsx";
import { QuarantinedOrder } from "../parts/orders/quarantined-order.tsx";
import { Empty, Loaded, useResource } from "../parts/resource.tsx";
import { Due, OrderBadge, Progress } from "../parts/small-parts.tsx";
import { say } from "../say.ts";

/** The search waits this long, so that a word can be finished. */
const pauseMs = 300;
const pageSize = "100";

/** Finds an order by anything that is written on it. */
export function Orders() {
  const { query } = address.value;
  const q = query.get("q") ?? "";
  const state = query.get("state") ?? "";
  const before = query.get("before") ?? "";
  const given = Object.entries({ q, state, before }).filter(([, value]) => value !== "");
  const resource = useResource<OrderPage>(`admin/orders?${new URLSearchParams([...given, ["limit", pageSize]])}`);
  return (
    <>
      <h1>{say("nav.orders")}</h1>
      <div class="filters">
        <Search q={q} />
        <fieldset class="choices">
          <legend class="hidden">{say("order.state")}</legend>
          {["", ...orderStates].map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={state === one}
              onClick={() => setFilters({ state: one, before: null })}
            >
              {one === "" ? say("order.all") : say(`order.${orderStates.find((known) => known === one) ?? "unknown"}`)}
            </button>
          ))}
        </fieldset>
      </div>
      <QuarantinedOrder number={q} />
      {q === "" ? <KeptElsewhere /> : null}
      <Loaded of={resource}>
        {(page) => (
          <>
            {page.orders.length > 0 ? (
              <List page={page} />
            ) : page.nextBefore === null ? (
              <Empty text={say("order.none")} hint={q === "" ? say("order.noneHint") : say("order.searchHint")} />
            ) : (
              <Empty text={say("page.empty")} />
            )}
            <PageLinks next={page.nextBefore} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The orders that another system serves are in no list here, but they are found. */
function KeptElsewhere() {
  const { data } = useResource<AdapterOverview>("admin/overview", { isLive: false });
  const system = data?.endpoints.find(({ operation }) => operation === "listWorkOrders")?.servedBy;
  if (system === undefined || system === "embedded" || system === "none") return null;
  return <p class="quiet">{say("order.keptBy", { system })}</p>;
}

function Search({ q }: { readonly q: string }) {
  const [text, setText] = useState(q);
  // The address holds it without spaces at its ends. They stay here, because somebody may go on typing.
  useEffect(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  // Ended with the page and not after the next paint: the filter would be set on the page that was opened meanwhile.
  useLayoutEffect(() => {
    if (text.trim() === q) return undefined;
    const timer = setTimeout(() => setFilters({ q: text.trim(), before: null }), pauseMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  return (
    <label class="search">
      <span class="hidden">{say("order.search")}</span>
      <input
        type="search"
        placeholder={say("order.search")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

function List({ page }: { readonly page: OrderPage }) {
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{say("order.number")}</th>
            <th scope="col">{say("order.state")}</th>
            <th scope="col">{say("order.picked")}</th>
            <th scope="col">{say("order.due")}</th>
            <th scope="col">{say("nav.deliveries")}</th>
          </tr>
        </thead>
        <tbody>
          {page.orders.map((order) => (
            <Row key={order.number} order={order} />
          ))}
        </tbody>
      </table>
      {page.orders.some(({ lastKnown }) => lastKnown !== null) ? (
        <p class="quiet">{say("order.someLastKnown")}</p>
      ) : null}
      {page.isCut ? <p class="quiet">{say("order.cut")}</p> : null}
    </>
  );
}

function Row({ order }: { readonly order: OrderView }) {
  return (
    <tr>
      <th scope="row">
        <Link to={pathTo("orders", order.number)}>{order.number}</Link>
        {order.externalIdentifier === null ? null : <span class="quiet other-name"> {order.externalIdentifier}</span>}
      </th>
      <td>
        <OrderBadge state={order.state} />
      </td>
      <td>
        <Progress order={order} />
      </td>
      <td>{order.dueAt === null ? "–" : <Due at={order.dueAt} />}</td>
      <td>
        <Undelivered order={order} />
      </td>
    </tr>
  );
}

export function Undelivered({ order }: { readonly order: Pick<OrderView, "undelivered"> }) {
  if (order.undelivered === null) return <span class="quiet">{say("order.allDelivered")}</span>;
  const isDead = order.undelivered === "dead";
  return <span class={`badge ${isDead ? "bad" : "busy"}`}>{say(isDead ? "order.stuck" : "order.onTheWay")}</span>;
}
