import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Timeline as TimelineData } from "../../src/engine/journal-view/timeline.ts";
import type { TimelineEvent } from "../../src/engine/journal-view/timeline-event.ts";
import { address, setFilters } from "../address.ts";
import { say, sayDay, sayDuration, sayEvent, sayTime, sayTopic } from "../say.ts";
import { EntryPanel } from "./entry-panel.tsx";
import { WindowedList } from "./orders/windowed-list.tsx";
import { StateBadge } from "./small-parts.tsx";

const lanes = ["platform", "crossdock", "erp"] as const;
type Lane = (typeof lanes)[number];

const laneOf: Readonly<Record<TimelineEvent["kind"], Lane>> = {
  ...{ call: "platform", offer: "platform", push: "erp", message: "erp", attempt: "erp" },
  ...{ amounts: "crossdock", action: "crossdock", change: "crossdock", held: "crossdock" },
};

/** Pauses of at least this length are shown. */
const gapMs = 60_000;
/** Most people look for what happened last. A button shows the rest. */
const shownAtFirst = 300;

/** Shows what happened to an order, in three lanes. An entry can be opened to see what was really sent. */
export function Timeline({ timeline }: { readonly timeline: TimelineData }) {
  const only = address.value.query.get("lane");
  const opened = Number(address.value.query.get("entry") ?? 0);
  const [isWhole, setWhole] = useState(false);
  const wanted = useMemo(
    () => timeline.events.filter((event) => only === null || laneOf[event.kind] === only),
    [timeline, only],
  );
  // Stays the same while entries arrive. If the first row moved with each entry, every row would be a new one, and a
  // dialog in it would close.
  const start = useMemo(() => Math.max(0, wanted.length - shownAtFirst), [only]);
  // A shared address may lead to an entry that is not among the last ones.
  const isOlder = wanted.slice(0, start).some(({ seq }) => seq === opened);
  const first = isWhole || isOlder ? 0 : start;
  const events = useMemo(() => wanted.slice(first), [wanted, first]);
  const keys = useMemo(() => rowKeys(events), [events]);
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
      <WindowedList
        items={events}
        kept={events.find((event) => event.seq === opened)}
        textOf={(event) => `#${event.seq} ${sayTopic(event.topic ?? "")} ${sayEvent(event)}`}
        row={(event, index) => (
          <Row
            key={keys[index]}
            event={event}
            before={events[index - 1]}
            place={index + 1}
            of={events.length}
            // An entry may have several events. It opens below the first.
            isOpen={event.seq === opened && events.findIndex(({ seq }) => seq === opened) === index}
          />
        )}
      />
    </section>
  );
}

/** An event keeps its key when earlier ones are left out: otherwise a dialog in its row would close. */
function rowKeys(events: readonly TimelineEvent[]): readonly string[] {
  const seen = new Map<string, number>();
  return events.map(({ at, kind, seq }) => {
    const name = `${at} ${kind} ${seq}`;
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return `${name} ${nth}`;
  });
}

interface RowProps {
  readonly event: TimelineEvent;
  readonly before: TimelineEvent | undefined;
  /**
   * The position and number of rows, for screen readers: rows that are not near are not in the page, so they cannot be
   * counted.
   */
  readonly place: number;
  readonly of: number;
  readonly isOpen: boolean;
}

function Row({ event, before, place, of, isOpen }: RowProps) {
  const lane = laneOf[event.kind];
  const gap = before === undefined ? 0 : Date.parse(event.at) - Date.parse(before.at);
  const shown = useRef<HTMLLIElement>(null);
  // The address has opened this entry, so it is scrolled into view.
  useEffect(() => {
    if (isOpen && !shown.current?.contains(document.activeElement)) shown.current?.scrollIntoView({ block: "center" });
  }, []);
  const isNewDay = before === undefined || sayDay(before.at) !== sayDay(event.at);
  return (
    <li ref={shown} aria-posinset={place} aria-setsize={of}>
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
            {event.topic === null ? null : (
              <span class="quiet topic" title={event.topic}>
                {sayTopic(event.topic)}
              </span>
            )}
          </span>
          <span class="text">{sayEvent(event)}</span>
          {event.answer === null || event.kind !== "call" ? null : (
            <span class="quiet">⇒ {event.answer.message ?? event.answer.result ?? say("kind.success")}</span>
          )}
        </button>
      </div>
      {isOpen && event.seq !== null ? <EntryPanel seq={event.seq} /> : null}
    </li>
  );
}

function toneOf({ kind, state, phrase }: TimelineEvent): string {
  if (state === "dead" || state === "rejected") return "bad";
  if (state === "retry") return "warn";
  if (kind !== "attempt") return "";
  const outcome = phrase?.values["outcome"];
  const key = typeof outcome === "object" && "key" in outcome ? outcome.key : "";
  return key === "state.delivered" ? "good" : key === "state.retry" ? "warn" : "bad";
}
