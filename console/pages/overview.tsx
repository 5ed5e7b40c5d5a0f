import { type FigureSeries, figureRanges } from "../../src/engine/figures/figure.ts";
import type { ConnectorView, HouseView } from "../../src/server/admin/house-routes.ts";
import { address, setFilters } from "../address.ts";
import { Chart } from "../parts/chart.tsx";
import { attentionKinds } from "../parts/deliveries/delivery-filters.tsx";
import { Link } from "../parts/link.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Age, Ago } from "../parts/small-parts.tsx";
import { say, sayAlarm, sayCapability, sayDuration, sayMoment, sayNumber, sayText } from "../say.ts";

/** Shows at a glance whether all is well. */
export function Overview() {
  const house = useResource<HouseView>("admin/overview");
  const range = figureRanges.find((one) => one === address.value.query.get("range")) ?? "15m";
  const figures = useResource<FigureSeries>(`admin/figures?range=${range}`);
  return (
    <>
      <h1>{say("nav.overview")}</h1>
      <Loaded of={house}>{(data) => <Tiles house={data} />}</Loaded>
      <section aria-labelledby="chart-title">
        <header class="bar">
          <h2 id="chart-title">{say("chart.title")}</h2>
          <fieldset class="choices">
            <legend class="hidden">{say("chart.range")}</legend>
            {figureRanges.map((one) => (
              <button key={one} type="button" aria-pressed={one === range} onClick={() => setFilters({ range: one })}>
                {say(`chart.${one}`)}
              </button>
            ))}
          </fieldset>
        </header>
        <Loaded of={figures}>
          {(series) => (
            <>
              <Chart series={series} />
              <Durations series={series} />
            </>
          )}
        </Loaded>
      </section>
      <Loaded of={house}>
        {(data) => (
          <>
            <Alarms house={data} />
            <Connectors connectors={data.connectors} />
            <Endpoints house={data} />
            <p class="quiet">
              <Link to="wall">{say("nav.wall")}</Link> ·{" "}
              {say("house.running", {
                ...{ version: data.version, store: data.store, time: sayMoment(data.startedAt) },
              })}
              {data.owner === null
                ? null
                : ` · ${say("house.owner", { name: data.owner.deployment, epoch: sayNumber(data.owner.epoch) })}`}
            </p>
          </>
        )}
      </Loaded>
    </>
  );
}

function Tiles({ house }: { readonly house: HouseView }) {
  const { dead, accepted, retry, inflight, delivered } = house.entries;
  const attention = dead + house.quarantine;
  return (
    <>
      {house.ready ? null : (
        <div class="notice" role="alert">
          <h2>{say("house.notReady")}</h2>
          <p>{house.reasons.map(sayText).join("; ")}</p>
        </div>
      )}
      <ul class="tiles">
        <li class={attention > 0 ? "bad" : ""}>
          <Link to={`deliveries?${new URLSearchParams({ failure: attentionKinds })}`}>
            <span class="big">{sayNumber(attention)}</span> {say("house.attention")}
          </Link>
        </li>
        <li>
          <Link to="deliveries">
            <span class="big">{sayNumber(accepted + retry + inflight)}</span> {say("house.waiting")}
          </Link>
        </li>
        <li>
          <span class="big">{house.oldestWaitingAt === null ? "–" : <Age at={house.oldestWaitingAt} />}</span>{" "}
          {say("house.oldest")}
        </li>
        <li class={house.quarantine > 0 ? "warn" : ""}>
          <Link to="quarantine">
            <span class="big">{sayNumber(house.quarantine)}</span> {say("nav.quarantine")}
          </Link>
        </li>
        <li>
          <span class="big">{sayNumber(delivered)}</span> {say("house.delivered")}
        </li>
      </ul>
    </>
  );
}

function Durations({ series }: { readonly series: FigureSeries }) {
  const latest = series.points.findLast((point) => point.p50Ms !== null);
  const refused = series.points.reduce((sum, point) => sum + point.refusals, 0);
  if (latest === undefined) return <p class="quiet">{say("chart.quiet")}</p>;
  return (
    <p>
      {say("chart.p50")} <b>{sayDuration(latest.p50Ms ?? 0)}</b> · {say("chart.p95")}{" "}
      <b>{sayDuration(latest.p95Ms ?? 0)}</b> · {say("chart.refusals")}: <b>{sayNumber(refused)}</b>
    </p>
  );
}

function Alarms({ house }: { readonly house: HouseView }) {
  return (
    <section>
      <h2>{say("house.alarms")}</h2>
      {house.alarms.length === 0 ? <p class="quiet">{say("house.noAlarms")}</p> : null}
      <ul class="plain-list">
        {house.alarms.map((alarm) => (
          <li key={alarm.alarm + alarm.subject}>
            <span class="badge bad">{sayAlarm(alarm.alarm)}</span> {alarmText(alarm)}{" "}
            <span class="quiet">{say("house.since", { time: sayMoment(alarm.since) })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Most texts name what they are about. That of a silence does too, in other words than its subject, which is in English. */
export const alarmText = ({ alarm, subject, text }: HouseView["alarms"][number]): string =>
  alarm === "silence" || text.includes(subject) ? text : `${subject}: ${text}`;

const breakerTones = { closed: "good", "half-open": "warn", open: "bad" } as const;

function Connectors({ connectors }: { readonly connectors: readonly ConnectorView[] }) {
  return (
    <section>
      <h2>{say("house.connectors")}</h2>
      {connectors.length === 0 ? <p class="quiet">{say("house.noConnectors")}</p> : null}
      <ul class="cards">
        {connectors.map((one) => (
          <li key={one.name}>
            <h3>
              {one.name} <span class="quiet">{one.type}</span>{" "}
              {one.breaker === undefined ? null : (
                <span class={`badge ${one.isPaused === true ? "warn" : breakerTones[one.breaker]}`}>
                  {one.isPaused === true ? say("target.paused") : say(`breaker.${one.breaker}`)}
                </span>
              )}
            </h3>
            {one.waiting === undefined ? null : (
              <p>{say("target.waiting", { count: sayNumber(one.waiting), inFlight: sayNumber(one.inFlight ?? 0) })}</p>
            )}
            {one.serves.length === 0 ? null : (
              <p>{say("house.serves", { names: one.serves.map(sayCapability).join(", ") })}</p>
            )}
            {one.lastError === null ? null : (
              <p class="break">
                {say("house.lastError")}: {one.lastError.status ?? ""} {sayText(one.lastError.text)}{" "}
                <span class="quiet">
                  <Ago at={one.lastError.at} />
                </span>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Endpoints({ house }: { readonly house: HouseView }) {
  return (
    <details>
      <summary>{say("house.endpoints")}</summary>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{say("house.endpoint")}</th>
            <th scope="col">{say("house.servedBy")}</th>
          </tr>
        </thead>
        <tbody>
          {house.endpoints.map((one) => (
            <tr key={one.operation}>
              <th scope="row" class="break">
                <code>
                  {one.method} {one.path}
                </code>
              </th>
              <td>{nameOf(one.servedBy)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function nameOf(servedBy: string): string {
  if (servedBy === "embedded") return say("house.embedded");
  return servedBy === "none" ? say("house.nobody") : servedBy;
}
