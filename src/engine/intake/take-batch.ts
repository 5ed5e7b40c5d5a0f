import { hash } from "node:crypto";
import type { PushedCancellation, PushedStock, PushTopic } from "../../contract/pushes.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { type SpanOptions, type Tracing, traced } from "../../kit/tracing/tracing.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { Fault } from "../../operation/fault.ts";
import type { BadElement, Batch, Intake } from "../../sdk/intake.ts";
import type { Engine } from "../engine.ts";
import type { KnownRecord, KnownRecords, ReadMode } from "../quarantine/open-known-records.ts";
import type { Overruling } from "../quarantine/overruled-until.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import { ContentByNumber } from "./content-by-number.ts";
import { shownNumber } from "./order-texts.ts";
import { later, type OwnBookings } from "./own-bookings.ts";
import { type ElementReading, mostInCommit, type PushedEntry, readElement } from "./read-push.ts";

export interface IntakeNeeds {
  /** Read once per batch of a connector. */
  readonly current: () => IntakeSnapshot;
  readonly quarantine: Quarantine;
  readonly knownRecords: KnownRecords;
  /** Absent if nothing is pushed. */
  readonly overruling?: Pick<Overruling, "upToDate" | "until"> | undefined;
  readonly timers: Timers;
  readonly log: Log;
  /** Adds what the adapter has booked for an order that is read again. */
  readonly ownBookings?: OwnBookings;
  /**
   * Resolves when quarantined and seen records would survive the loss of this machine. Only then may a source continue
   * after them.
   */
  readonly stored?: (() => Promise<void>) | undefined;
  readonly tracing?: Tracing | undefined;
}

/** The settings that apply to one batch from its beginning to its end. */
export interface IntakeSnapshot {
  readonly engine: Pick<Engine, "accept">;
  readonly dates: DateSettings;
}

/** Characters per commit of the journal: with more, events of the floor would wait behind a big import. */
const maxChunkCharacters = 1_000_000;
/** How many elements are checked before the event loop continues with other work. */
const checkedPerTurn = 50;
const maxBadListed = 10_000;

const takeSpan = (source: string, topic: PushTopic): SpanOptions => ({
  ...{ name: `take in ${topic}`, kind: "internal" },
  fixed: { "crossdock.connector": source, "crossdock.topic": topic },
});

/** Takes in batches of connectors: good elements go into the journal, bad ones into quarantine. */
export function createIntake(needs: IntakeNeeds): (connectorName: string) => Intake {
  return (source) => {
    const sourceRead: Intake["sourceRead"] = (reading) => {
      if (reading !== undefined) needs.knownRecords.missed(source, reading);
    };
    const take = (found: Batch) =>
      needs.tracing === undefined
        ? takeWhole(source, found)
        : traced(needs.tracing, takeSpan(source, found.topic), () => takeWhole(source, found));
    return Object.assign(take, { sourceRead });
  };

  async function takeWhole(source: string, found: Batch): ReturnType<Intake> {
    await needs.overruling?.upToDate();
    const snapshot = needs.current();
    if (found.badRecords === "refuse") {
      const bad: BadElement[] = [];
      for await (const { place, reading } of readings(found, snapshot)) {
        if (reading !== null && "problems" in reading && bad.length < maxBadListed)
          bad.push({ ...place, problems: reading.problems });
      }
      if (bad.length > 0) return { ids: [], unchanged: 0, bad };
    }
    return take(source, found, snapshot);
  }

  async function take(source: string, found: Batch, snapshot: IntakeSnapshot): ReturnType<Intake> {
    const ids: string[] = [];
    const bad: BadElement[] = [];
    let unchanged = 0;
    let newBad = 0;
    let undecided = 0;
    let count = 0;
    let chunk: Good[] = [];
    let characters = 0;
    /** Finds equal elements in one chunk: `knownRecords` knows them only after the commit. */
    let fresh = new Map<string, string>();
    const lostBefore = needs.quarantine.lostCount();
    const badNumbers = new Set<string>();
    const mended = new Set<string>();
    const store = async () => {
      const stored = await append(source, chunk, snapshot);
      if ("ids" in stored) {
        count += stored.ids.length;
        // The ids are not needed for a list in portions; millions of them would fill the memory.
        if (found.portions === undefined) ids.push(...stored.ids);
      }
      chunk = [];
      characters = 0;
      fresh = new Map();
      return "ids" in stored ? null : stored;
    };
    // A batch that is refused as a whole was already checked for orders with the same number.
    const areNumbersChecked = found.badRecords === "refuse";
    for await (const { place, element, reading } of readings(found, snapshot, areNumbersChecked)) {
      if (reading === null) {
        undecided++;
        continue;
      }
      if ("problems" in reading) {
        if (bad.length < maxBadListed) bad.push({ ...place, problems: reading.problems });
        const number = numberOf(element);
        badNumbers.add(number);
        const isNew = needs.quarantine.keep({
          ...{ source, kind: found.topic, number, problems: reading.problems, raw: element },
          ...{ origin: found.origin, sourceOf: found.sourceOf },
        });
        if (isNew) newBad++;
        continue;
      }
      if (needs.quarantine.holds(source, found.topic, reading.number)) mended.add(reading.number);
      const version = typeof found.rereads === "object" ? found.rereads.versions?.[place.index] : undefined;
      const record = { ...recordOf(source, found.topic, reading), origin: found.origin, version };
      const name = JSON.stringify([record.number, record.part]);
      if (
        fresh.get(name) === record.digest ||
        (!fresh.has(name) && needs.knownRecords.isKnown(record, readModeOf(found), found.claimedAt))
      ) {
        unchanged++;
        continue;
      }
      fresh.set(name, record.digest);
      chunk.push({ entry: reading.entry, record });
      characters += reading.payload.length;
      if (chunk.length < mostInCommit(found.topic) && characters < maxChunkCharacters) continue;
      const refused = await store();
      if (refused !== null) return refused;
    }
    if (badNumbers.size > 0 && readModeOf(found) === "again") {
      needs.knownRecords.stillThere(source, found.topic, [...badNumbers]);
    }
    const refused = chunk.length === 0 ? null : await store();
    if (refused !== null) return refused;
    // Done at the end: an order that is both good and bad in the same file stays in quarantine, where the operator sees
    // it.
    for (const number of mended) if (!badNumbers.has(number)) needs.quarantine.release(source, found.topic, number);
    needs.quarantine.flush();
    // A source that went on would not bring them again: the file would be moved, and the poll would be past them.
    if (needs.quarantine.lostCount() > lostBefore) {
      throw new Fault("broken", "bad records could not be put into quarantine; they are read again");
    }
    await needs.stored?.();
    const { topic, origin } = found;
    // A poll may read the same bad record every minute.
    if (newBad > 0) needs.log.warn({ source, topic, origin, bad: newBad }, "records were put into quarantine");
    return {
      ...{ ids, unchanged, bad },
      ...(undecided === 0 ? {} : { later: undecided }),
      ...(found.portions === undefined ? {} : { count }),
    };
  }

  async function append(source: string, chunk: readonly Good[], { engine }: IntakeSnapshot) {
    const entries = chunk.map(({ entry }) => entry);
    const acceptance = await engine.accept(entries, source);
    if ("notStored" in acceptance) return acceptance;
    try {
      needs.knownRecords.remember(
        chunk.map(({ record }) => record),
        needs.overruling?.until(),
      );
    } catch (error) {
      // The elements are in the journal. If this write fails, the next poll stores them there once more.
      needs.log.error({ err: error }, "the seen records could not be stored");
    }
    return acceptance;
  }

  function withOwn({ topic, ignoreOwn }: Batch, element: unknown): unknown {
    const isAsked = ignoreOwn !== undefined && topic === "workOrders" && needs.ownBookings !== undefined;
    return isAsked ? needs.ownBookings?.(element, ignoreOwn.readAt) : element;
  }

  /** Yields every element with its check, a few per turn of the event loop; null if it cannot be decided yet. */
  async function* readings(found: Batch, { dates }: IntakeSnapshot, areNumbersChecked = false) {
    const { topic } = found;
    const contents = topic === "workOrders" && !areNumbersChecked ? new ContentByNumber() : null;
    let index = 0;
    try {
      for await (const portion of portionsOf(found)) {
        for (const { row, element } of portion) {
          if (index > 0 && index % checkedPerTurn === 0) await new Promise<void>((next) => needs.timers.soon(next));
          const place = row === undefined ? { index } : { index, row };
          const completed = withOwn(found, element);
          const reading = completed === later ? null : readElement(topic, completed, dates);
          yield {
            place,
            element,
            reading: reading === null || contents === null ? reading : withConflict(reading, contents),
          };
          index++;
        }
      }
    } finally {
      contents?.release();
    }
  }
}

async function* portionsOf({
  elements,
  portions,
}: Batch): AsyncGenerator<readonly { row?: number; element: unknown }[]> {
  if (portions === undefined) yield elements.map((element) => ({ element }));
  else yield* portions();
}

interface Good {
  readonly entry: PushedEntry;
  readonly record: KnownRecord;
}

/** Of two orders with one number and different content the first is kept, because it is unclear which is meant. */
function withConflict(reading: ElementReading, contents: ContentByNumber): ElementReading {
  if ("problems" in reading || contents.contradicted(reading.number, reading.payload) === null) return reading;
  const problem: Problem = { field: "number", expected: "unique", detail: shownNumber(reading.number) };
  return { problems: [problem] };
}

const digestOf = (text: string) => hash("sha256", text, "base64url").slice(0, 22);

function readModeOf({ rereads }: Batch): ReadMode {
  if (rereads === undefined) return "unknown";
  if (rereads === "never") return "once";
  return rereads.isComparison === true ? "compared" : "again";
}

function recordOf(source: string, topic: PushTopic, reading: Extract<ElementReading, { number: string }>): KnownRecord {
  const { number, payload } = reading;
  return { source, topic, number, part: partOf(topic, payload), digest: digestOf(payload) };
}

/** Distinguishes several records of one order or item. */
function partOf(topic: PushTopic, payload: string): string {
  if (topic === "workOrders" || topic === "items") return "";
  // The element was checked against the schema of its topic when it was read.
  const element = JSON.parse(payload) as Partial<PushedCancellation & PushedStock>;
  return topic === "stock"
    ? JSON.stringify([element.locationName ?? "", element.lotNumber ?? ""])
    : JSON.stringify([element.requestExternalIdentifier ?? "", element.itemNumber ?? "", element.lotNumber ?? ""]);
}

/** The number of an element of unknown shape; empty if it has none. */
function numberOf(element: unknown): string {
  if (typeof element !== "object" || element === null) return "";
  // The check above made sure that it is an object; its members may be anything.
  const { number, workOrderNumber, itemNumber } = element as Record<string, unknown>;
  const found = number ?? workOrderNumber ?? itemNumber;
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
}
