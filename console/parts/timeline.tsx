import { useState } from "preact/hooks";
import type { Timeline as TimelineData } from "../../src/engine/journal-view/timeline.ts";
import type { TimelineEvent } from "../../src/engine/journal-view/timeline-event.ts";
import { address, setFilters } from "../address.ts";
import { say, sayDay, sayDuration, sayTime } from "../say.ts";
import { EntryPanel } from "./entry-panel.tsx";
import { StateBadge } from "./small-parts.tsx";

const lanes = ["platform", "crossdock", "erp"] as const;
type Lane = (typeof lanes)[number];

const laneOf: Readonly<Record<TimelineEvent["kind"], Lane>> = {
  ...{ call: "platform", offer: "platform", push: "erp", message: "erp", attempt: "erp" },
  ...{ amounts: "crossdock", action: "crossdock", change: "crossdock", held: "crossdock" },
};

/** A pause that is worth a look. */
const gapMs = 60_000;
/** More would make a slow browser wait; the rest follows with a button. */
const shownAtFirst = 300;

/** Laid out together when they come into sight: one by one, each step of scrolling would lay out the whole list again. */
const perBlock = 40;

/** What happened to an order, in three lanes. Each entry opens to what was really sent. */
export function Timeline({ timeline }: { readonly timeline: TimelineData }) {
  const only = address.value.query.get("lane");
  const opened = Number(address.value.query.get("entry") ?? 0);
  const [isWhole, setWhole] = useState(false);
  const wanted = timeline.events.filter((event) => only === null || laneOf[event.kind] === only);
  const events = isWhole ? wanted : wanted.slice(-shownAtFirst);
  const blocks = Array.from({ length: Math.ceil(events.length / perBlock) }, (_, at) =>
    events.slice(at * perBlock, (at + 1) * perBlock),
  );
  // An entry has several events; it opens below the first.
  const openedEvent = events.find((event) => event.seq === opened);
  return (
    <section aria-labelledby="timeline-title">
      <header class="bar">
        <h2 id="timeline-title">{say("timeline.title")}</h2>
        <fieldset class="choices">
          <legend class="hidden">{say("timeline.lanes")}</legend>
          {[null, ...lanes].map((lane) => (
            <button
              key={lane}
              type="button"
              aria-pressed={only === lane}
              onClick={() => setFilters({ lane, entry: null })}
            >
              {say(`lane.${lane ?? "all"}`)}
            </button>
          ))}
        </fieldset>
      </header>
      {timeline.isCut ? <p class="quiet">{say("timeline.cut")}</p> : null}
      {events.length < wanted.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          {say("timeline.older", { count: wanted.length - events.length })}
        </button>
      ) : null}
      <div class="lane-heads" aria-hidden="true">
        <span />
        {lanes.map((lane) => (
          <span key={lane}>{say(`lane.${lane}`)}</span>
        ))}
      </div>
      {blocks.map((block, at) => (
        <ol key={at} class="timeline" start={at * perBlock + 1}>
          {block.map((event, index) => (
            <Row
              key={`${event.at} ${event.kind} ${event.seq} ${index}`}
              event={event}
              before={events[at * perBlock + index - 1]}
              isOpen={event === openedEvent}
            />
          ))}
        </ol>
      ))}
    </section>
  );
}

interface RowProps {
  readonly event: TimelineEvent;
  readonly before: TimelineEvent | undefined;
  readonly isOpen: boolean;
}

function Row({ event, before, isOpen }: RowProps) {
  const lane = laneOf[event.kind];
  const gap = before === undefined ? 0 : Date.parse(event.at) - Date.parse(before.at);
  const isNewDay = before === undefined || sayDay(before.at) !== sayDay(event.at);
  return (
    <li>
      {isNewDay ? <h3 class="day">{sayDay(event.at)}</h3> : null}
      {gap >= gapMs ? <p class="gap">{say("timeline.gap", { time: sayDuration(gap) })}</p> : null}
      <div class={`event ${lane}`}>
        <time dateTime={event.at} title={event.at}>
          {sayTime(event.at)}
        </time>
        <button
          type="button"
          class={`card ${toneOf(event)}`}
          disabled={event.seq === null}
          aria-expanded={event.seq === null ? undefined : isOpen}
          onClick={() => setFilters({ entry: isOpen || event.seq === null ? null : String(event.seq) })}
        >
          <span class="kind">
            {say(`kind.${event.kind}`)}
            {event.seq === null ? null : <span class="quiet"> #{event.seq}</span>}
            {event.state === null ? null : <StateBadge state={event.state} />}
          </span>
          <span class="text">
            {event.topic === null ? null : <b>{event.topic} </b>}
            {event.text}
          </span>
          {event.answer === null || event.kind !== "call" ? null : (
            <span class="quiet">⇒ {event.answer.message ?? event.answer.result ?? say("kind.success")}</span>
          )}
        </button>
      </div>
      {isOpen && event.seq !== null ? <EntryPanel seq={event.seq} /> : null}
    </li>
  );
}

function toneOf({ kind, state, text }: TimelineEvent): string {
  if (state === "dead" || state === "rejected") return "bad";
  if (state === "retry") return "warn";
  if (kind !== "attempt") return "";
  return /: delivered/.test(text) ? "good" : /: retry/.test(text) ? "warn" : "bad";
}
