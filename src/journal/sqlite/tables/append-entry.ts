import { jsonText } from "../../../kit/json/same-json.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { appliedPayload } from "../../applied-payload.ts";
import type { EntryState, NewEntry, OpenEntry } from "../../entry.ts";
import type { Applied, Emission, InlineProjection } from "../../inline-projection.ts";
import type { Appended } from "../../journal.ts";
import { openEntry } from "../writer/writer-command.ts";
import { duplicateIndex, emittedKey } from "./duplicate-index.ts";
import { contentOf, type FiledLane, openEntryOf } from "./entry-columns.ts";
import { seqRow, type WholeEntryRow } from "./journal-rows.ts";
import { lanePositions } from "./lane-positions.ts";
import type { ParkingRules } from "./parking.ts";
import { type Superseder, stateKey } from "./supersede.ts";

export interface AppendNeeds {
  readonly database: Database;
  readonly projection: InlineProjection | null;
  readonly parking: ParkingRules;
  /** The target of messages emitted by an inline projection; null: they are only kept in the journal. */
  readonly emissionTarget: string | null;
  readonly newEntryId: () => string;
  readonly supersede: Superseder;
}

/** What an entry emitted by an inline projection takes over from the entry that caused it. */
export interface Cause {
  readonly at: number;
  readonly language: string | null;
  readonly trace: string | null;
}

export const causeIn = (row: Pick<WholeEntryRow, "received_at" | "accept_language" | "trace">): Cause => ({
  at: row.received_at,
  language: row.accept_language,
  trace: row.trace ?? null,
});

type Append = (entry: NewEntry, leaseToken: string) => Appended;

/** Stores entries with their effects. */
export function entryAppender({ database, projection, parking, emissionTarget, newEntryId, supersede }: AppendNeeds) {
  const columns = `seq, id, direction, topic, lanes, target, accept_language, received_at, state, applied,
    lease_token, answer, suspect_of, supersedes`;
  const insertEntry = database.statement(
    `INSERT INTO entry (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // A separate statement: only pushes have a sender and only traced entries a trace, so other events do not pay for
  // these columns.
  const insertMore = database.statement(
    `INSERT INTO entry (${columns}, sender, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertBody = database.statement("INSERT INTO entry_body (seq, body, payload) VALUES (?, ?, ?)");
  const insertLane = database.statement("INSERT INTO entry_lane (lane, key, seq) VALUES (?, ?, ?)");
  const positions = lanePositions(database);
  const before = duplicateIndex(database);
  const resumeRow = database.statement(
    `UPDATE entry SET state = ?, reason = NULL, lease_token = ?, applied = ?, attempts = attempts + ?, answer = ?,
       answered_at = NULL WHERE seq = ?`,
  );
  const lastGiven = database.query("SELECT seq FROM last_entry", seqRow);
  const setLastGiven = database.statement("UPDATE last_entry SET seq = ?");

  // Read once per batch: after a rollback the numbers of the batch are free again.
  let lastSeq = 0;
  let firstSeq = 0;
  const begin = () => {
    lastSeq = lastGiven.get()?.seq ?? 0;
    firstSeq = lastSeq;
    positions.begin();
  };
  const end = () => {
    if (lastSeq !== firstSeq) setLastGiven.run(lastSeq);
    positions.end(lastSeq);
  };
  const keep = () => {
    firstSeq = lastSeq;
    positions.keep();
  };
  const rollBack = () => {
    // These numbers were not stored, so they must not be reported as the last one.
    lastSeq = firstSeq;
    positions.rollBack();
    before.forget();
  };
  /** Called before entries are deleted. */
  const beforeDeletion = () => {
    positions.store(lastSeq);
    before.forget();
  };
  const nextSeq = () => ++lastSeq;

  /** Stores the entry in its lanes, and returns them with its positions, as the entry row stores them. */
  const storeLanes = (
    seq: number,
    lanes: readonly string[],
    entry: NewEntry | null,
    counted: boolean,
    ownKey = "",
  ): string => {
    const key = entry?.repeat?.key ?? ownKey;
    const unnamedKey = entry?.repeat?.unnamed?.key;
    const file = (lane: string): FiledLane => {
      insertLane.run(lane, key, seq);
      before.file(seq, lane, key, entry);
      const position = counted ? positions.next(lane) : 0;
      if (unnamedKey === undefined) return [lane, position, key];
      insertLane.run(lane, unnamedKey, seq);
      before.file(seq, lane, unnamedKey, entry);
      return [lane, position, key, unnamedKey];
    };
    const distinct = lanes.length === 1 ? lanes : [...new Set(lanes)].sort();
    const filed = JSON.stringify(distinct.map(file));
    positions.filed(filed.length);
    return filed;
  };

  const emit = (emission: Emission, { at, language, trace }: Cause): OpenEntry | null => {
    const seq = nextSeq();
    const id = newEntryId();
    const target = emission.target ?? emissionTarget;
    const state: EntryState = target === null ? "delivered" : "accepted";
    const body = JSON.stringify(emission.payload);
    const { topic, lanes } = emission;
    const filed = storeLanes(seq, lanes, null, target !== null, emittedKey);
    insertMore.run(
      ...[seq, id, "out", topic, filed, target, language, at],
      ...[state, 1, null, null, null, null, null, trace],
    );
    insertBody.run(seq, body, null);
    if (target === null) return null;
    parking.join(seq, lanes);
    return { seq, id, topic, target, lanes, attempts: 0, receivedAt: at, nextAt: 0 };
  };

  const emitAll = (applied: Applied | null, cause: Cause): OpenEntry[] =>
    (applied?.emits ?? []).flatMap((emission) => emit(emission, cause) ?? []);

  const apply = (row: WholeEntryRow) => {
    const { id, seq, topic, received_at: receivedAt } = row;
    return projection?.apply({ id, seq, topic, payload: appliedPayload(contentOf(row)), receivedAt }) ?? null;
  };

  /**
   * Continues an entry that was answered with a failure because the target did not answer. Sent again, it keeps its id.
   */
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
    const emitted = emitAll(applied, causeIn(row));
    const appended = { outcome, touched: applied?.touched ?? false, suspectOf: row.suspect_of };
    return { id, seq, state, ...appended, emitted, open, superseded: [] };
  };

  const append: Append = (entry, leaseToken) => {
    const { id, direction, topic, body, payload, acceptLanguage, receivedAt, target = null, trace = null } = entry;
    const content = jsonText(payload ?? body);
    const found = before.find(entry, content);
    let suspectOf: number | null = null;
    if (found !== undefined) {
      const { duplicate, rule } = found;
      const isAmbiguous = duplicate.state === "rejected" && duplicate.reason === "ambiguous";
      if (isAmbiguous && entry.handling !== undefined && entry.handling !== "keep") {
        return resume(duplicate, entry.handling, leaseToken);
      }
      const isRepeat = isStanding(duplicate) && (rule.when === "always" || duplicate.answered_at === null);
      if (isRepeat) return repeated(duplicate);
      suspectOf = isStanding(duplicate) ? duplicate.seq : null;
    }

    const seq = nextSeq();
    const handling = entry.handling ?? "keep";
    const applied =
      handling === "hold" || handling === "pass" || projection === null
        ? null
        : projection.apply({ id, seq, topic, payload: appliedPayload(entry, content.value), receivedAt });
    const outcome = applied?.outcome ?? { ok: true };
    const { supersedes: key, stateAt: at = receivedAt } = entry;
    const stated = key === undefined || !outcome.ok ? null : { key, at, target };
    const newerId = stated === null ? null : supersede.newerThan(stated);
    const state = !outcome.ok ? "rejected" : newerId === null ? stateByHandling[handling] : "discarded";
    const token = state === "inflight" ? leaseToken : null;
    const answer = handling === "hold" ? null : JSON.stringify(outcome);
    const isApplied = handling === "hold" ? 0 : 1;
    const ended = stated !== null && state === "accepted" ? supersede.endOlder(stated, id, receivedAt) : [];
    const supersedes = key === undefined ? null : stateKey(key, at);
    const filed = storeLanes(seq, entry.lanes, entry, state === "accepted" || state === "inflight");
    // biome-ignore format: in the order of the columns, without a list that is made for every event
    if (entry.sender === undefined && trace === null) insertEntry.run(seq, id, direction, topic, filed, target, acceptLanguage, receivedAt, state, isApplied, token, answer, suspectOf, supersedes);
    // biome-ignore format: the same
    else insertMore.run(seq, id, direction, topic, filed, target, acceptLanguage, receivedAt, state, isApplied, token, answer, suspectOf, supersedes, entry.sender ?? null, trace);
    insertBody.run(seq, body, payload);
    if (newerId !== null) supersede.end(seq, receivedAt, newerId);
    if (state === "accepted") parking.join(seq, entry.lanes);
    const open = state === "accepted" ? openEntry(seq, entry) : null;
    const emitted = emitAll(applied, { at: receivedAt, language: acceptLanguage, trace });
    const touched = applied?.touched ?? false;
    return { id, seq, state, outcome, touched, suspectOf, emitted, open, superseded: ended };
  };

  /**
   * Stores an entry whose effect failed, without the effect. Its sender was already told that the whole call is
   * accepted.
   */
  const refuse = (entry: NewEntry): Appended => {
    const { id, direction, topic, body, payload, acceptLanguage, receivedAt, target = null } = entry;
    const { sender = null, trace = null } = entry;
    const seq = nextSeq();
    const outcome = { ok: false };
    const filed = storeLanes(seq, entry.lanes, null, false);
    insertMore.run(
      ...[seq, id, direction, topic, filed, target, acceptLanguage, receivedAt],
      ...["rejected", 0, null, JSON.stringify(outcome), null, null, sender, trace],
    );
    insertBody.run(seq, body, payload);
    return {
      id,
      seq,
      state: "rejected",
      outcome,
      touched: false,
      suspectOf: null,
      emitted: [],
      open: null,
      superseded: [],
    };
  };

  return {
    ...{ begin, end, keep, rollBack, append, refuse, emitAll, beforeDeletion, forgetRecent: before.forget },
    lastSeq: () => lastSeq,
  };
}

const stateByHandling: Record<NonNullable<NewEntry["handling"]>, EntryState> = {
  keep: "delivered",
  queue: "accepted",
  pass: "accepted",
  hold: "inflight",
};

/**
 * Whether an equal entry can count as a repeat of this one. A refused event may be sent again, and so may a push that
 * an operator skipped.
 */
const isStanding = ({ state, direction }: WholeEntryRow): boolean =>
  state !== "rejected" && !(state === "discarded" && direction === "in");

function repeated(latest: WholeEntryRow): Appended {
  // This file wrote the outcome.
  const outcome = latest.answer === null ? null : (JSON.parse(latest.answer) as { ok: boolean });
  return { repeatOf: latest.seq, state: latest.state, outcome, touched: false };
}
