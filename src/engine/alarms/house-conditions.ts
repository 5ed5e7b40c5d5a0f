import type { JournalTrouble } from "../../journal/journal.ts";
import { say } from "../../messages/message.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import { type Condition, wallTime } from "./alarm.ts";

/** Something that expires: a token, a certificate, or a date from the configuration. */
export interface Expiry {
  readonly name: string;
  readonly at: number;
}

export interface HouseNeeds {
  readonly quarantine: Pick<Quarantine, "count">;
  /** Orders being picked with a changed line whose unit is uncertain. */
  readonly doubtful: { readonly count: number; readonly orders: readonly string[] };
  readonly diskState: "enough" | "low" | "full";
  readonly freeBytes: number | null;
  /** Why the journal cannot be written any more. */
  readonly journalFailure: string | null;
  /** Results of the last writes. */
  readonly journalTrouble: JournalTrouble;
  readonly expiries: readonly Expiry[];
  readonly expiryDays: number;
  readonly now: number;
  readonly timeZone: string;
}

const dayMs = 86_400_000;

/** What is wrong with the adapter itself, or soon will be. */
export function houseConditions(needs: HouseNeeds): Condition[] {
  const { quarantine, doubtful, diskState, freeBytes } = needs;
  const keptBack = quarantine.count();
  const freeMiB = Math.floor((freeBytes ?? 0) / 2 ** 20);
  return [
    ...(keptBack === 0 ? [] : [one("quarantine", say("alarms.quarantine", { count: keptBack }))]),
    ...(doubtful.count === 0
      ? []
      : [one("unit", say("alarms.unit", { count: doubtful.count, orders: doubtful.orders.join(", ") }))]),
    ...(diskState === "enough" ? [] : [one("disk", say(`alarms.disk.${diskState}`, { freeMiB }))]),
    ...journalConditions(needs),
    ...expiring(needs),
  ];
}

/** Only the worst one is reported; a second message about the same journal would add nothing. */
function journalConditions({ journalFailure, journalTrouble: { damage, refused } }: HouseNeeds): Condition[] {
  if (journalFailure !== null) return [one("journal", say("alarms.journal", { reason: journalFailure }))];
  if (damage !== null) return [one("journal", say("alarms.journal.damaged", { reason: damage }))];
  return refused === null ? [] : [one("journal", say("alarms.journal.refused", { reason: refused }))];
}

const one = (kind: Condition["kind"], text: Condition["text"]): Condition => ({ kind, subject: "", text });

function expiring({ expiries, expiryDays, now, timeZone }: HouseNeeds): Condition[] {
  if (expiryDays === 0) return [];
  return expiries
    .filter(({ at }) => at - now <= expiryDays * dayMs)
    .map(({ name, at }) => {
      const time = wallTime(at, timeZone);
      const days = Math.floor((at - now) / dayMs);
      const text = at <= now ? say("alarms.expired", { name, time }) : say("alarms.expiry", { name, time, days });
      return { kind: "expiry", subject: name, text };
    });
}
