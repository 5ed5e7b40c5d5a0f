import { useEffect, useState } from "preact/hooks";
import type { FloorRun, FloorState } from "../../src/server/workshop/floor-control.ts";
import { routeUrl } from "../address.ts";
import { post } from "../api.ts";
import { useSubmit } from "../parts/forms/submit.ts";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Moment } from "../parts/small-parts.tsx";
import { FloorReport } from "../parts/workshop/floor-report.tsx";
import { say } from "../say.ts";
import { may } from "../session.ts";

const lookAgainMs = 1_000;
const settings = [
  ["orders", 20, 0, 5_000],
  ["operators", 8, 1, 64],
  ["faults", 1, 0, 20],
  ["changes", 0, 0, 20],
] as const;

/** A simulated floor and the conformance checks, run against this adapter. */
export function Floor() {
  const resource = useResource<FloorState>("admin/floor");
  const isRunning = resource.data?.run?.state === "running";
  const { data, error } = resource;
  // After each answer, and not at a fixed rate: over a slow link, each look would end the one before it.
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(resource.reload, lookAgainMs);
    return () => clearTimeout(timer);
  }, [isRunning, data, error]);
  return (
    <>
      <h1>{say("nav.floor")}</h1>
      <Loaded of={resource}>
        {({ isProduction, run }) => (
          <>
            {isProduction ? <p class="warn-text">{say("floor.production")}</p> : null}
            {may("admin") ? (
              <Choices isProduction={isProduction} isRunning={isRunning} onStarted={resource.reload} />
            ) : (
              <p class="quiet">{say("floor.onlyAdmins")}</p>
            )}
            {run === null ? null : <Run run={run} onStopped={resource.reload} />}
          </>
        )}
      </Loaded>
    </>
  );
}

function Choices(props: {
  readonly isProduction: boolean;
  readonly isRunning: boolean;
  readonly onStarted: () => void;
}) {
  const { isProduction, isRunning } = props;
  const { isBusy, error, submit } = useSubmit();
  const [isFull, setFull] = useState(false);
  const start = (what: "simulate" | "conform", body: object) =>
    submit(() => post(`admin/floor/${what}`, body).then(props.onStarted));
  return (
    <>
      <div class="columns">
        <form
          class="panel"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const number = (name: string) => Number(form.get(name));
            start("simulate", {
              ...{ orders: number("orders"), operators: number("operators") },
              ...{ faultPercent: number("faults"), changePercent: number("changes") },
            });
          }}
        >
          <h2>{say("floor.simulate")}</h2>
          <p>{say("floor.warning")}</p>
          {settings.map(([name, usual, least, most]) => (
            <label key={name}>
              {say(`floor.${name}`)}
              <input type="number" name={name} defaultValue={String(usual)} min={least} max={most} required />
            </label>
          ))}
          <button type="submit" class="primary" disabled={isProduction || isRunning || isBusy}>
            {say("floor.start")}
          </button>
        </form>
        <form
          class="panel"
          onSubmit={(event) => {
            event.preventDefault();
            start("conform", { full: isFull });
          }}
        >
          <h2>{say("floor.conform")}</h2>
          <p>{say("floor.conformText")}</p>
          <label class="check">
            <input
              type="checkbox"
              checked={isFull}
              disabled={isProduction}
              onChange={() => setFull((before) => !before)}
            />{" "}
            {say("floor.full")}
          </label>
          <button type="submit" disabled={isRunning || isBusy}>
            {say("floor.conform")}
          </button>
        </form>
      </div>
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

const tones: Readonly<Record<FloorRun["state"], string>> = {
  ...{ running: "busy", passed: "good", findings: "bad", failed: "bad", stopped: "none" },
};

function Run({ run, onStopped }: { readonly run: FloorRun; readonly onStopped: () => void }) {
  return (
    <section aria-labelledby="run-title">
      <header class="bar">
        <h2 id="run-title">
          {say(run.kind === "simulate" ? "floor.simulate" : "floor.conform")}{" "}
          <span class={`badge ${tones[run.state]}`} role="status">
            {say(`floor.${run.state}`)}
          </span>
        </h2>
        <span class="quiet">
          {say("floor.by", { name: run.startedBy })}, <Moment at={run.startedAt} />
        </span>
        {run.state === "running" && may("admin") ? (
          <button
            type="button"
            class="small"
            onClick={() => {
              // The next refresh shows the result.
              void post("admin/floor/stop", {}).then(onStopped, onStopped);
            }}
          >
            {say("floor.stop")}
          </button>
        ) : null}
        {run.report === null ? null : (
          <a href={routeUrl("admin/floor/report").href} download>
            {say("floor.report")}
          </a>
        )}
      </header>
      <FloorReport run={run} />
      {/* The whole output of a program; while it runs, it is all there is. */}
      <details open={run.report === null}>
        <summary>{say("floor.output")}</summary>
        <section class="code" aria-label={say("floor.output")}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0} lang="en">
            {run.output.join("\n")}
          </pre>
        </section>
      </details>
    </section>
  );
}
