import type { TargetOverview } from "../../src/engine/delivery/outbox.ts";
import { pathTo } from "../address.ts";
import { post } from "../api.ts";
import { changes } from "../live.ts";
import { say, sayNumber } from "../say.ts";
import { may } from "../session.ts";
import { useSubmit } from "./forms/submit.ts";
import { Age } from "./small-parts.tsx";

const breakerTones = { closed: "good", "half-open": "warn", open: "bad" } as const;

/** What is known about the deliveries to a system; nothing of one that only answers queries. */
export interface TargetState {
  readonly isRemoved?: boolean;
  readonly isPaused?: boolean;
  readonly breaker?: TargetOverview["breaker"];
}

/** The state in a few words; empty where nothing is known. */
export function sayTargetState({ isRemoved, isPaused, breaker }: TargetState): string {
  if (isRemoved === true) return say("target.removed");
  if (isPaused === true) return say("target.paused");
  return breaker === undefined ? "" : say(`breaker.${breaker}`);
}

export function TargetBadge({ of: state }: { readonly of: TargetState }) {
  const { isPaused, breaker } = state;
  if (breaker === undefined) return null;
  return <span class={`badge ${isPaused === true ? "warn" : breakerTones[breaker]}`}>{sayTargetState(state)}</span>;
}

/** Whether a system gets deliveries, or once did and something for it is left. */
const isOfInterest = ({ target, isRemoved, waiting, inFlight }: TargetOverview): boolean =>
  target !== "" && (!isRemoved || waiting + inFlight > 0);

/** The systems that get deliveries: whether they answer, what waits, and a switch that holds deliveries back. */
export function Targets({ targets }: { readonly targets: readonly TargetOverview[] }) {
  const { error, submit } = useSubmit();
  const known = targets.filter(isOfInterest);
  if (known.length === 0) return <p class="quiet">{say("target.none")}</p>;
  const set = (target: string, isPaused: boolean) =>
    submit(async () => {
      await post(pathTo("admin", "targets", target, isPaused ? "pause" : "resume"), {});
      changes.value++;
    });
  return (
    <>
      <ul class="cards" aria-label={say("target.title")}>
        {known.map(({ target, breaker, isPaused, isRemoved, waiting, inFlight, oldestAt }) => (
          <li key={target}>
            <header>
              <h2>
                {target} <TargetBadge of={{ isRemoved, isPaused, breaker }} />
              </h2>
              {may("operator") && !isRemoved ? (
                <button type="button" class="small" onClick={() => set(target, !isPaused)}>
                  {say(isPaused ? "target.resume" : "target.pause")}
                </button>
              ) : null}
            </header>
            <p>
              {say("target.waiting", { count: sayNumber(waiting), inFlight: sayNumber(inFlight) })}
              {oldestAt == null ? null : (
                <>
                  {` · ${say("failure.oldest")} `}
                  <Age at={new Date(oldestAt).toISOString()} />
                </>
              )}
            </p>
            {isRemoved ? <p class="quiet">{say("target.removedHint")}</p> : null}
          </li>
        ))}
      </ul>
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
