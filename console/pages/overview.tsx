import { type FigureSeries, figureRanges } from "../../src/engine/figures/figure.ts";
import type { AdapterOverview, ConnectorView } from "../../src/server/admin/overview-routes.ts";
import { address, setFilters } from "../address.ts";
import { Chart } from "../parts/chart.tsx";
import { attentionKinds } from "../parts/deliveries/delivery-filters.tsx";
import { Link } from "../parts/link.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Age, Ago, ShortError } from "../parts/small-parts.tsx";
import { TargetBadge, type TargetState } from "../parts/targets.tsx";
import { say, sayAlarm, sayCapability, sayDuration, sayMoment, sayNumber, sayText } from "../say.ts";

/** Shows at a glance whether all is well. */
export function Overview() {
  const overview = useResource<AdapterOverview>("admin/overview");
  const range = figureRanges.find((one) => one === address.value.query.get("range")) ?? "15m";
  const figures = useResource<FigureSeries>(`admin/figures?range=${range}`);
  return (
    <>
      <h1>{say("nav.overview")}</h1>
      <Loaded of={overview}>{(data) => <Tiles overview={data} />}</Loaded>
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
      {/* Above the figures it says why there is nothing yet. */}
      {overview.data === null ? null : <Parts overview={overview.data} />}
    </>
  );
}

function Parts({ overview }: { readonly overview: AdapterOverview }) {
  const { version, store, startedAt, owner } = overview;
  return (
    <>
      <Alarms overview={overview} />
      <Connectors connectors={overview.connectors} />
      <Endpoints overview={overview} />
      <p class="quiet">
        <Link to="wall">{say("nav.wall")}</Link> ·{" "}
        <span title={startedAt}>{say("overview.running", { version, store, time: sayMoment(startedAt) })}</span>
        {owner === null
          ? null
          : ` · ${say("overview.owner", { name: owner.deployment, epoch: sayNumber(owner.epoch) })}`}
      </p>
    </>
  );
}

function Tiles({ overview }: { readonly overview: AdapterOverview }) {
  const { dead, accepted, retry, inflight, delivered } = overview.entries;
  const attention = dead + overview.quarantine;
  return (
    <>
      {overview.ready ? null : (
        <div class="notice" role="alert">
          <h2>{say("overview.notReady")}</h2>
          <p>{overview.reasons.map(sayText).join("; ")}</p>
        </div>
      )}
      <ul class="tiles">
        <li class={attention > 0 ? "bad" : ""}>
          <Link to={`deliveries?${new URLSearchParams({ failure: attentionKinds })}`}>
            <span class="big">{sayNumber(attention)}</span> {say("overview.attention")}
          </Link>
        </li>
        <li>
          <Link to="deliveries">
            <span class="big">{sayNumber(accepted + retry + inflight)}</span> {say("overview.waiting")}
          </Link>
        </li>
        <li>
          <span class="big">{overview.oldestWaitingAt === null ? "–" : <Age at={overview.oldestWaitingAt} />}</span>{" "}
          {say("overview.oldest")}
        </li>
        <li class={overview.quarantine > 0 ? "warn" : ""}>
          <Link to="quarantine">
            <span class="big">{sayNumber(overview.quarantine)}</span> {say("nav.quarantine")}
          </Link>
        </li>
        <li>
          <span class="big">{sayNumber(delivered)}</span> {say("overview.delivered")}
        </li>
      </ul>
    </>
  );
}

function Durations({ series }: { readonly series: FigureSeries }) {
  const { p50Ms, refusals } = series.total;
  if (p50Ms === null) return <p class="quiet">{say("chart.quiet")}</p>;
  return (
    <p>
      {say("chart.p50")} <b>{sayDuration(p50Ms)}</b> · {say("chart.refusals")}: <b>{sayNumber(refusals)}</b>
    </p>
  );
}

function Alarms({ overview }: { readonly overview: AdapterOverview }) {
  return (
    <section>
      <h2>{say("overview.alarms")}</h2>
      {overview.alarms.length === 0 ? <p class="quiet">{say("overview.noAlarms")}</p> : null}
      <ul class="plain-list">
        {overview.alarms.map((alarm) => (
          <li key={alarm.alarm + alarm.subject}>
            <span class="badge bad">{sayAlarm(alarm.alarm)}</span> {alarmText(alarm)}{" "}
            <span class="quiet" title={alarm.since}>
              {say("overview.since", { time: sayMoment(alarm.since) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Most texts name what they are about. That of a silence does too, in other words than its subject, which is in English. */
export const alarmText = ({ alarm, subject, text }: AdapterOverview["alarms"][number]): string =>
  alarm === "silence" || text.includes(subject) ? text : `${subject}: ${text}`;

/** Deliveries and queries go separate ways: a system that does not answer one of them does not answer. */
export const targetStateOf = (one: ConnectorView): TargetState =>
  one.unanswered.length > 0 ? { ...one, breaker: "open" } : one;

function Connectors({ connectors }: { readonly connectors: readonly ConnectorView[] }) {
  return (
    <section>
      <h2>{say("overview.connectors")}</h2>
      {connectors.length === 0 ? <p class="quiet">{say("overview.noConnectors")}</p> : null}
      <ul class="cards">
        {connectors.map((one) => (
          <li key={one.name}>
            <h3>
              {one.name} <span class="quiet">{one.type}</span> <TargetBadge of={targetStateOf(one)} />
            </h3>
            {one.unanswered.map(({ capability, since }) => (
              <p key={capability} class="warn-text" title={since}>
                {say("overview.unanswered", { name: sayCapability(capability), time: sayMoment(since) })}
              </p>
            ))}
            {one.waiting === undefined ? null : (
              <p>{say("target.waiting", { count: sayNumber(one.waiting), inFlight: sayNumber(one.inFlight ?? 0) })}</p>
            )}
            {one.serves.length === 0 ? null : (
              <p>{say("overview.serves", { names: one.serves.map(sayCapability).join(", ") })}</p>
            )}
            {one.lastError === null ? null : (
              <div class="last-error">
                {say("overview.lastError")}:{" "}
                <span class="quiet">
                  <Ago at={one.lastError.at} />
                </span>
                <ShortError text={one.lastError.text} status={one.lastError.status} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Endpoints({ overview }: { readonly overview: AdapterOverview }) {
  return (
    <details>
      <summary>{say("overview.endpoints")}</summary>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{say("overview.endpoint")}</th>
            <th scope="col">{say("overview.servedBy")}</th>
          </tr>
        </thead>
        <tbody>
          {overview.endpoints.map((one) => (
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
  if (servedBy === "embedded") return say("overview.embedded");
  return servedBy === "none" ? say("overview.nobody") : servedBy;
}
