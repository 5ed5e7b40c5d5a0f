import type { FigureSeries } from "../../src/engine/figures/figure.ts";
import type { AdapterOverview, ConnectorView } from "../../src/server/admin/overview-routes.ts";
import { lostSince } from "../live.ts";
import { Chart } from "../parts/chart.tsx";
import { Link } from "../parts/link.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Age } from "../parts/small-parts.tsx";
import { sayTargetState } from "../parts/targets.tsx";
import { say, sayMoment, sayNumber, sayText, sayTime } from "../say.ts";
import { endedAt, session } from "../session.ts";
import { alarmText, targetStateOf } from "./overview.tsx";
import { SignInForm } from "./sign-in.tsx";

/**
 * A view for a screen on the wall, read from the other end of the room: whether all is well, and if not, since when.
 */
export function Wall() {
  const overview = useResource<AdapterOverview>("admin/overview");
  const figures = useResource<FigureSeries>("admin/figures?range=24h");
  // Old numbers must not hang on the wall as if they were current.
  if (session.value === null) return <Ended />;
  return (
    <div class="wall">
      <h1 class="hidden">{say("nav.wall")}</h1>
      <Loaded of={overview}>{(data) => <Numbers overview={data} />}</Loaded>
      <Loaded of={figures}>{(series) => <Chart series={series} />}</Loaded>
      <p class="quiet">
        <Link to="">{say("nav.overview")}</Link> <Until />
      </p>
    </div>
  );
}

/** Who looks at the wall should know when somebody has to sign in again, and how to avoid it. */
function Until() {
  if (session.value == null) return null;
  const { role, endsAt } = session.value;
  if (role === "viewer") return <> · {say("wall.until", { time: sayMoment(endsAt) })}</>;
  return <> · {say("wall.role", { role: say(`role.${role}`) })}</>;
}

/** The session has ended. The form is in the page and not over it, so that the sentence can be read from afar. */
function Ended() {
  return (
    <div class="wall">
      <h1 class="hidden">{say("nav.wall")}</h1>
      <p class="state bad" role="status">
        {say("wall.ended", { time: sayMoment(new Date(endedAt.value ?? Date.now()).toISOString()) })}
      </p>
      <div class="front">
        <SignInForm />
      </div>
    </div>
  );
}

function Numbers({ overview }: { readonly overview: AdapterOverview }) {
  const { dead, accepted, retry, inflight } = overview.entries;
  // Without this, people at the other end of the room would take an hour-old state for the current one.
  const lost = lostSince.value;
  const attention = dead + overview.quarantine;
  const isTrouble = (one: ConnectorView) => targetStateOf(one).breaker === "open" || one.isPaused === true;
  const troubles = [overview.alarms.length, attention, overview.connectors.filter(isTrouble).length];
  // Nobody believes a green sign above a red tile.
  const isWell = overview.ready && troubles.every((count) => count === 0);
  const numbers = [
    { text: say("overview.attention"), shown: sayNumber(attention), tone: attention > 0 ? "bad" : "" },
    { text: say("overview.waiting"), shown: sayNumber(accepted + retry + inflight), tone: "" },
    {
      text: say("overview.oldest"),
      shown: overview.oldestWaitingAt === null ? "–" : <Age at={overview.oldestWaitingAt} />,
      tone: "",
    },
    { text: say("nav.quarantine"), shown: sayNumber(overview.quarantine), tone: overview.quarantine > 0 ? "warn" : "" },
  ];
  return (
    <>
      <p class={`state ${isWell && lost === null ? "good" : "bad"}`} role="status">
        {lost !== null
          ? say("state.stale", { time: sayTime(new Date(lost).toISOString()) })
          : isWell
            ? say("wall.well")
            : say("wall.notWell")}
      </p>
      <ul class="tiles">
        {numbers.map(({ text, shown, tone }) => (
          <li key={text} class={tone}>
            <span class="big">{shown}</span> {text}
          </li>
        ))}
        {overview.connectors.map((one) => (
          <li key={one.name} class={isTrouble(one) ? "bad" : ""}>
            <span class="big">{one.name}</span> {sayTargetState(targetStateOf(one))}
          </li>
        ))}
      </ul>
      <ul class="plain-list">
        {[...overview.reasons.map(sayText), ...overview.alarms.map(alarmText)].map((text) => (
          <li key={text} class="error">
            {text}
          </li>
        ))}
      </ul>
    </>
  );
}
