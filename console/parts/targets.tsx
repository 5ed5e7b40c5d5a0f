import type { TargetOverview } from "../../src/engine/delivery/outbox.ts";
import { pathTo } from "../address.ts";
import { post } from "../api.ts";
import { changes } from "../live.ts";
import { say, sayNumber } from "../say.ts";
import { may } from "../session.ts";
import { useSubmit } from "./forms/submit.ts";
import { Age } from "./small-parts.tsx";

const breakerTones = { closed: "good", "half-open": "warn", open: "bad" } as const;

/** The systems that get deliveries: whether they answer, what waits, and a switch that holds deliveries back. */
export function Targets({ targets }: { readonly targets: readonly TargetOverview[] }) {
  const { error, submit } = useSubmit();
  const known = targets.filter(({ target }) => target !== "");
  if (known.length === 0) return <p class="quiet">{say("target.none")}</p>;
  const set = (target: string, isPaused: boolean) =>
    submit(async () => {
      await post(pathTo("admin", "targets", target, isPaused ? "pause" : "resume"), {});
      changes.value++;
    });
  return (
    <>
      <ul class="cards" aria-label={say("target.title")}>
        {known.map(({ target, breaker, isPaused, waiting, inFlight, oldestAt }) => (
          <li key={target}>
            <header>
              <h2>
                {target}{" "}
                <span class={`badge ${isPaused ? "warn" : breakerTones[breaker]}`}>
                  {isPaused ? say("target.paused") : say(`breaker.${breaker}`)}
                </span>
              </h2>
              {may("operator") ? (
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
