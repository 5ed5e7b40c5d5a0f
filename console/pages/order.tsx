import { useState } from "preact/hooks";
import type { OrderDetail } from "../../src/engine/journal-view/orders/search-orders.ts";
import type { Timeline as TimelineData } from "../../src/engine/journal-view/timeline.ts";
import { pathTo } from "../address.ts";
import { BundleDialog } from "../parts/orders/bundle-dialog.tsx";
import { QuarantinedOrder } from "../parts/orders/quarantined-order.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Due, LastKnown, Moment, OrderBadge, Progress } from "../parts/small-parts.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { say, sayCode, sayNumber, sayUnit } from "../say.ts";
import { may } from "../session.ts";
import { Undelivered } from "./orders.tsx";

/** Everything about one order on one page. */
export function Order({ number }: { readonly number: string }) {
  const route = pathTo("admin", "orders", number);
  const order = useResource<OrderDetail>(route);
  const [isBundling, setBundling] = useState(false);
  const personal = may("operator") ? "?show=personal" : "";
  const timeline = useResource<TimelineData>(`${route}/timeline${personal}`);
  return (
    <>
      <header class="bar">
        <h1>
          {say("order.title")} <span class="break">{number}</span>
        </h1>
        {may("operator") && order.data !== null ? (
          <button type="button" class="small" onClick={() => setBundling(true)}>
            {say("bundle.title")}
          </button>
        ) : null}
      </header>
      {isBundling ? <BundleDialog number={number} onClose={() => setBundling(false)} /> : null}
      <QuarantinedOrder number={number} />
      <Loaded of={order}>
        {(data) => (
          <>
            <Head order={data} />
            <Lines order={data} />
            <div class="columns">
              <Containers order={data} />
              <Changes order={data} />
            </div>
            <Loaded of={timeline}>{(events) => <Timeline timeline={events} />}</Loaded>
          </>
        )}
      </Loaded>
    </>
  );
}

function Head({ order }: { readonly order: OrderDetail }) {
  return (
    <dl class="facts">
      <div>
        <dt>{say("order.state")}</dt>
        <dd>
          <OrderBadge state={order.state} />
        </dd>
      </div>
      <div>
        <dt>{say("order.picked")}</dt>
        <dd>
          <Progress order={order} />
        </dd>
      </div>
      <div>
        <dt>{say("nav.deliveries")}</dt>
        <dd>
          <Undelivered order={order} />
        </dd>
      </div>
      {order.externalIdentifier === null ? null : (
        <div>
          <dt>{say("order.externalId")}</dt>
          <dd>{order.externalIdentifier}</dd>
        </div>
      )}
      {order.dueAt === null ? null : (
        <div>
          <dt>{say("order.due")}</dt>
          <dd>
            <Due at={order.dueAt} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Most orders have fewer. Below thousands of lines, nobody would find what happened. */
const linesAtFirst = 50;

function Lines({ order }: { readonly order: OrderDetail }) {
  const [isWhole, setWhole] = useState(false);
  const lines = isWhole ? order.orderLines : order.orderLines.slice(0, linesAtFirst);
  if (order.orderLines.length === 0) return <p class="quiet">{say("order.noLines")}</p>;
  return (
    <section aria-labelledby="lines-title">
      <h2 id="lines-title">{say("order.lines")}</h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{say("order.item")}</th>
            <th scope="col">{say("order.line")}</th>
            <th scope="col" class="number">
              {say("order.requested")}
            </th>
            <th scope="col" class="number">
              {say("order.picked")}
            </th>
            <th scope="col" class="number">
              {say("order.missing")}
            </th>
            <th scope="col" class="number">
              {say("order.cancelledAmount")}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => {
            const missing = line.requested === null ? null : Math.max(0, line.requested - line.picked - line.cancelled);
            return (
              <tr key={index}>
                <th scope="row">
                  {line.itemNumber}
                  {line.lot === null ? null : <span class="quiet"> {line.lot}</span>}
                </th>
                <td data-label={say("order.line")}>{line.line ?? "–"}</td>
                <td data-label={say("order.requested")} class="number">
                  {line.requested === null ? "?" : sayNumber(line.requested)}
                  {line.isLastKnown ? "*" : ""} <span class="quiet">{sayUnit(line.unit)}</span>
                </td>
                <td data-label={say("order.picked")} class="number">
                  {sayNumber(line.picked + line.overPicked)}
                </td>
                <td
                  data-label={say("order.missing")}
                  class={missing === 0 || missing === null ? "number" : "number warn-text"}
                >
                  {missing === null ? "?" : sayNumber(missing)}
                  {line.isLastKnown ? "*" : ""}
                </td>
                <td data-label={say("order.cancelledAmount")} class="number">
                  {sayNumber(line.cancelled)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <LastKnown of={order} />
      {lines.length < order.orderLines.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          {say("order.moreLines", { count: sayNumber(order.orderLines.length - lines.length) })}
        </button>
      ) : order.orderLines.length < order.lines ? (
        <p class="quiet">
          {say("order.cutLines", { count: sayNumber(order.orderLines.length), total: sayNumber(order.lines) })}
        </p>
      ) : null}
    </section>
  );
}

function Containers({ order }: { readonly order: OrderDetail }) {
  return (
    <section>
      <h2>{say("order.containers")}</h2>
      {order.containers.length === 0 ? <p class="quiet">{say("order.noContainers")}</p> : null}
      <ul class="plain-list">
        {order.containers.map(({ code, location }) => (
          <li key={code}>
            {code} {location === null ? null : <span class="quiet">{location}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An order may be changed thousands of times; below all of them nobody would find what happened. */
const changesAtFirst = 20;

function Changes({ order }: { readonly order: OrderDetail }) {
  const [isWhole, setWhole] = useState(false);
  const changes = isWhole ? order.changes : order.changes.slice(-changesAtFirst);
  const older = order.changes.length - changes.length;
  return (
    <section>
      <h2>{say("order.changes")}</h2>
      {order.changes.length === 0 ? <p class="quiet">{say("order.noChanges")}</p> : null}
      {older === 0 ? null : (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          {say("timeline.older", { count: older })}
        </button>
      )}
      <ul class="plain-list">
        {changes.map((change, index) => (
          <li key={index}>
            <span class={`badge ${change.state === "pending" ? "warn" : "none"}`}>
              {sayCode("change", change.state)}
            </span>{" "}
            {change.line ?? say("order.whole")} → {sayNumber(change.target)}{" "}
            {change.reason === null ? null : <span class="quiet">{change.reason}</span>} <Moment at={change.filedAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
