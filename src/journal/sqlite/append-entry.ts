import { type JsonText, jsonText, sameJson } from "../../kit/same-json.ts";
import type { Database } from "../../kit/sqlite.ts";
import type { EntryState, NewEntry, OpenEntry, RepeatRule } from "../entry.ts";
import type { Appended } from "../journal.ts";
import type { Applied, Emission, Resident } from "../resident.ts";
import { openEntry } from "./hand-over.ts";
import { lanePositions } from "./lane-positions.ts";
import type { ParkingRules } from "./parking.ts";
import { type EntryRow, type FiledLane, lanesIn, openEntryOf, type WholeEntryRow, wholeEntries } from "./row.ts";
import { stateKey, superseder } from "./supersede.ts";

export interface AppendNeeds {
  readonly database: Database;
  readonly resident: Resident | null;
  readonly parking: ParkingRules;
  /** Who gets what the resident emits; null keeps it in the journal only. */
  readonly emissionTarget: string | null;
  readonly newEntryId: () => string;
}

type Append = (entry: NewEntry, leaseToken: string) => Appended;

/** Stores entries with their effects; recognises what the platform sends again. */
export function entryAppender({ database, resident, parking, emissionTarget, newEntryId }: AppendNeeds) {
  const columns = `seq, id, direction, topic, lanes, target, accept_language, received_at, state, applied,
    lease_token, answer, suspect_of, supersedes`;
  const insertEntry = database.statement(
    `INSERT INTO entry (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // Only pushes have a sender: events of the floor do not pay for it.
  const insertPushed = database.statement(
    `INSERT INTO entry (${columns}, sender) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertBody = database.statement("INSERT INTO entry_body (seq, body, payload) VALUES (?, ?, ?)");
  const insertLane = database.statement("INSERT INTO entry_lane (lane, key, seq) VALUES (?, ?, ?)");
  const positions = lanePositions(database);
  const latestSeq = database.statement(
    "SELECT seq FROM entry_lane WHERE lane = ? AND key = ? ORDER BY seq DESC LIMIT 1",
  );
  const lastInLane = database.statement("SELECT max(seq) AS seq FROM entry_lane WHERE lane = ?");
  const saidAt = database.statement(
    `SELECT e.topic, e.target, e.received_at, coalesce(b.body, '') AS body, b.payload
     FROM entry e LEFT JOIN entry_body b ON b.seq = e.seq WHERE e.seq = ?`,
  );
  const rowBySeq = database.statement(`${wholeEntries()} WHERE e.seq = ?`);
  const resumeRow = database.statement(
    `UPDATE entry SET state = ?, reason = NULL, lease_token = ?, applied = ?, attempts = attempts + ?, answer = ?,
       answered_at = NULL WHERE seq = ?`,
  );
  const lastGiven = database.statement("SELECT seq FROM last_entry");
  const setLastGiven = database.statement("UPDATE last_entry SET seq = ?");

  const supersede = superseder(database);

  // Asked for once per batch: after a rollback the numbers of the batch are free again.
  let lastSeq = 0;
  let firstSeq = 0;
  const begin = () => {
    lastSeq = lastGiven.get<{ seq: number }>()?.seq ?? 0;
    firstSeq = lastSeq;
  };
  const end = () => {
    if (lastSeq !== firstSeq) setLastGiven.run(lastSeq);
  };
  const nextSeq = () => ++lastSeq;

  const latestOf = (lanes: readonly string[], { key, undisturbedIn = [] }: RepeatRule): number | undefined => {
    let latest: number | undefined;
    for (const [index, lane] of lanes.entries()) {
      const seq = latestSeq.get<{ seq: number }>(lane, key)?.seq;
      // Not the same one in every lane: something else happened to one of them in between.
      if (seq === undefined || (index > 0 && seq !== latest)) return undefined;
      latest = seq;
    }
    if (latest === undefined) return undefined;
    for (const lane of undisturbedIn) {
      if ((lastInLane.get<{ seq: number | null }>(lane)?.seq ?? 0) > latest) return undefined;
    }
    return latest;
  };

  /** The entry, if the new one says the same; only then it is read whole. */
  const sameAt = (
    seq: number,
    entry: NewEntry,
    said: JsonText,
    { windowMs }: RepeatRule,
  ): WholeEntryRow | undefined => {
    const former = saidAt.get<SaidRow>(seq);
    if (former === undefined || entry.receivedAt - former.received_at > windowMs) return undefined;
    return isSame(former, entry, said) ? rowBySeq.get<WholeEntryRow>(seq) : undefined;
  };

  /** The entry that this one may repeat, and the rule by which it would. */
  const formerOf = (entry: NewEntry, said: JsonText): { former: WholeEntryRow; rule: RepeatRule } | undefined => {
    const { repeat, lanes } = entry;
    if (repeat === undefined) return undefined;
    let rule = repeat;
    let latest = latestOf(lanes, rule);
    if (latest === undefined) {
      if (repeat.unnamed === undefined) return undefined;
      rule = repeat.unnamed;
      latest = latestOf(lanes, rule);
    }
    const former = latest === undefined ? undefined : sameAt(latest, entry, said, rule);
    return former === undefined || (rule !== repeat && isNamed(former)) ? undefined : { former, rule };
  };

  /** Files the entry under its lanes, and returns them with its positions, as the entry keeps them. */
  const storeLanes = (
    seq: number,
    lanes: readonly string[],
    rule: RepeatRule | undefined,
    counted: boolean,
  ): string => {
    const key = rule?.key ?? "";
    const unnamedKey = rule?.unnamed?.key;
    const filed = [...new Set(lanes)].sort().map((lane): FiledLane => {
      insertLane.run(lane, key, seq);
      if (unnamedKey !== undefined) insertLane.run(lane, unnamedKey, seq);
      const position = counted ? positions.next(lane) : 0;
      return unnamedKey === undefined ? [lane, position, key] : [lane, position, key, unnamedKey];
    });
    return JSON.stringify(filed);
  };

  const emit = (emission: Emission, direction: "out" | "in", at: number, language: string | null): OpenEntry | null => {
    const seq = nextSeq();
    const id = newEntryId();
    const state: EntryState = emissionTarget === null ? "delivered" : "accepted";
    const body = JSON.stringify(emission.payload);
    const { topic, lanes } = emission;
    const filed = storeLanes(seq, lanes, undefined, emissionTarget !== null);
    insertEntry.run(
      ...[seq, id, direction, topic, filed, emissionTarget, language, at],
      ...[state, 1, null, null, null, null],
    );
    insertBody.run(seq, body, null);
    if (emissionTarget === null) return null;
    parking.join(seq, lanes);
    return { seq, id, topic, target: emissionTarget, lanes, attempts: 0, receivedAt: at, nextAt: 0 };
  };

  const emitAll = (applied: Applied | null, at: number, language: string | null): OpenEntry[] =>
    (applied?.emits ?? []).flatMap((emission) => emit(emission, "out", at, language) ?? []);

  const apply = ({ id, seq, topic, payload, body, received_at: receivedAt }: WholeEntryRow) =>
    resident?.apply({ id, seq, topic, payload: JSON.parse(payload ?? body), receivedAt }) ?? null;

  /** It was answered with a failure because the target was silent; sent again, it goes on under its own id. */
  const resume = (row: WholeEntryRow, handling: "queue" | "pass" | "hold", leaseToken: string): Appended => {
    const isHeld = handling === "hold";
    const applied = isHeld || handling === "pass" || row.applied === 1 ? null : apply(row);
    const outcome = applied?.outcome ?? { ok: true };
    const state = outcome.ok ? stateByHandling[handling] : "rejected";
    const { seq, id } = row;
    resumeRow.run(
      ...[state, isHeld ? leaseToken : null, isHeld ? row.applied : 1],
      ...[isHeld ? 1 : 0, isHeld ? null : JSON.stringify(outcome), seq],
    );
    const open = state === "accepted" ? openEntryOf(row) : null;
    if (open !== null) parking.join(seq, open.lanes);
    const emitted = emitAll(applied, row.received_at, row.accept_language);
    const said = { outcome, touched: applied?.touched ?? false, suspectOf: row.suspect_of };
    return { id, seq, state, ...said, emitted, open, superseded: [] };
  };

  const append: Append = (entry, leaseToken) => {
    const { id, direction, topic, body, payload, acceptLanguage, receivedAt, target = null, repeat } = entry;
    const said = jsonText(payload ?? body);
    const before = formerOf(entry, said);
    let suspectOf: number | null = null;
    if (before !== undefined) {
      const { former, rule } = before;
      const isAmbiguous = former.state === "rejected" && former.reason === "ambiguous";
      if (isAmbiguous && entry.handling !== undefined && entry.handling !== "keep") {
        return resume(former, entry.handling, leaseToken);
      }
      const isRepeat = isStanding(former) && (rule.when === "always" || former.answered_at === null);
      if (isRepeat) return repeated(former);
      suspectOf = isStanding(former) ? former.seq : null;
    }

    const seq = nextSeq();
    const handling = entry.handling ?? "keep";
    const applied =
      handling === "hold" || handling === "pass" || resident === null
        ? null
        : resident.apply({ id, seq, topic, payload: said.value(), receivedAt });
    const outcome = applied?.outcome ?? { ok: true };
    const state = outcome.ok ? stateByHandling[handling] : "rejected";
    const token = state === "inflight" ? leaseToken : null;
    const answer = handling === "hold" ? null : JSON.stringify(outcome);
    const isApplied = handling === "hold" ? 0 : 1;
    const { supersedes: stated, stateAt = receivedAt } = entry;
    const isNewest = stated !== undefined && state === "accepted";
    const ended = isNewest ? supersede({ supersedes: stated, stateAt, target, id, receivedAt }) : [];
    const supersedes = stated === undefined ? null : stateKey(stated, stateAt);
    const filed = storeLanes(seq, entry.lanes, repeat, state === "accepted" || state === "inflight");
    // biome-ignore format: in the order of the columns, without a list that is made for every event
    if (entry.sender === undefined) insertEntry.run(seq, id, direction, topic, filed, target, acceptLanguage, receivedAt, state, isApplied, token, answer, suspectOf, supersedes);
    // biome-ignore format: the same
    else insertPushed.run(seq, id, direction, topic, filed, target, acceptLanguage, receivedAt, state, isApplied, token, answer, suspectOf, supersedes, entry.sender);
    insertBody.run(seq, body, payload);
    if (state === "accepted") parking.join(seq, entry.lanes);
    const open = state === "accepted" ? openEntry(seq, entry) : null;
    const emitted = emitAll(applied, receivedAt, acceptLanguage);
    const touched = applied?.touched ?? false;
    return { id, seq, state, outcome, touched, suspectOf, emitted, open, superseded: ended };
  };

  return { begin, end, append, emitAll, forget: positions.forget };
}

const stateByHandling: Record<NonNullable<NewEntry["handling"]>, EntryState> = {
  keep: "delivered",
  queue: "accepted",
  pass: "accepted",
  hold: "inflight",
};

type SaidRow = Pick<WholeEntryRow, "topic" | "target" | "received_at" | "body" | "payload">;

function isSame(former: SaidRow, entry: NewEntry, said: JsonText): boolean {
  if (former.topic !== entry.topic) return false;
  // What is pushed says what it is applied as: with another time zone the same text is another date. Kept inside and
  // queued are not the same either.
  if (entry.direction === "in") {
    const isThere = former.body !== "" && former.target === (entry.target ?? null);
    return isThere && sameJson(said, jsonText(former.payload ?? former.body));
  }
  if (former.body === entry.body) return true;
  return sameJson(entry.payload === null ? said : jsonText(entry.body), jsonText(former.body));
}

/** Whether its sender has named it: it is filed under a second key then. */
const isNamed = ({ lanes }: EntryRow): boolean => lanesIn(lanes).some(([, , , unnamedKey]) => unnamedKey !== undefined);

/** What was refused may be tried again; so may a push that a person gave up. */
const isStanding = ({ state, direction }: WholeEntryRow): boolean =>
  state !== "rejected" && !(state === "discarded" && direction === "in");

function repeated(latest: WholeEntryRow): Appended {
  const outcome = latest.answer === null ? null : (JSON.parse(latest.answer) as { ok: boolean });
  return { repeatOf: latest.seq, state: latest.state, outcome, touched: false };
}
