import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, pick, type Row, row, text, textOf } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, refuse } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/family.ts";
import { scanText, stopText } from "../changes/offers/operator-text.ts";
import { openToldAside } from "../changes/offers/told-aside.ts";
import type { ChangedOrders } from "../changes/read-changed-order.ts";
import { fold } from "../order-store.ts";
import { workOrderRow } from "../store-rows.ts";

const maxShownLength = 60;
const maxShownCodes = 5;

/** A scanned code as an operator gets to see it. Path values may hold kilobytes; a device shows one line. */
export const shownCode = (code: string): string =>
  code.length > maxShownLength ? `${code.slice(0, maxShownLength)}…` : code;

/** An operator reads a line, not a thousand numbers. */
export function shownCodes(codes: readonly string[]): string {
  const first = codes.slice(0, maxShownCodes).map(shownCode).join(", ");
  return codes.length > maxShownCodes ? `${first}, …` : first;
}

/** Where a scanned code may stand, the most telling one first. */
const codeColumns = ["number", "alternative_start", "external_identifier"] as const;

const openRow = row({ ...pick(workOrderRow, "id", "number", "storage").columns, fits: integer, exact: integer });
type OpenCandidate = Row<typeof openRow>;
const closedRow = row({ number: text, state: textOf("finished", "cancelled"), exact: integer });

type Answer = Outcome<"findWorkOrderByCode">;

/** The storage counts for more than the spelling: an order that cannot be done here is never the better one. */
const rank = ({ fits, exact }: OpenCandidate): number => 2 * fits + exact;

export function findWorkOrderByCode(needs: {
  readonly database: Database;
  readonly answers: ReadyAnswers<Answer>;
  readonly changed: ChangedOrders;
  readonly isSound: () => boolean;
}): (input: InputOf<"findWorkOrderByCode">) => Answer {
  const { database, answers, changed, isSound } = needs;
  // One row per column is enough: of all orders behind a code, the oldest that fits the storage is the one to do next.
  // An order bound to no storage and a scan that names none make the comparison NULL: they fit everywhere.
  const open = codeColumns.map((column) =>
    database.query(
      `SELECT id, number, storage, coalesce(storage_folded = nullif(?, ''), 1) AS fits, ${column} = ? AS exact
       FROM work_order WHERE ${column}_folded = ? AND ended = 0
       ORDER BY fits DESC, exact DESC, id LIMIT 1`,
      openRow,
    ),
  );
  const closed = codeColumns.map((column) =>
    database.query(
      `SELECT number, state, ${column} = ? AS exact
       FROM work_order WHERE ${column}_folded = ? AND ended = 1
       ORDER BY exact DESC, id DESC LIMIT 1`,
      closedRow,
    ),
  );
  const content = database.query(
    `SELECT json, ${changedColumn} FROM work_order WHERE id = ?`,
    row({ json: text, changed: integer }),
  );

  const told = openToldAside(database);
  const lookUp = (code: string, storage: string): OpenCandidate | undefined => {
    const folded = fold(code);
    let best: OpenCandidate | undefined;
    for (const query of open) {
      const candidate = query.get(storage, code, folded);
      if (candidate === undefined) continue;
      if (best === undefined || rank(candidate) > rank(best)) best = candidate;
      // Nothing further down can be better, and most labels carry the number itself.
      if (candidate.fits === 1 && candidate.exact === 1) break;
    }
    return best;
  };

  const whyNone = (code: string) => {
    const past = closed.flatMap((query) => query.get(code, fold(code)) ?? []).sort((a, b) => b.exact - a.exact)[0];
    if (past === undefined) return say("orders.unknown-code", { code: shownCode(code) });
    // Cancelled after its end: what was picked of it is to be put aside.
    const family = past.state === "finished" ? changed.read(past.number) : undefined;
    if (family !== undefined && isCalledOff(family)) return stopText(family, past.number);
    return say(past.state === "cancelled" ? "orders.cancelled" : "orders.finished", { number: past.number });
  };

  const warningOf = (number: string): Message | undefined => {
    const family = changed.read(number);
    return family && scanText(family, number, told);
  };

  return ({ Code, StorageName }) => {
    // With the length no two scans share a key, whatever characters a code holds.
    const key = `${Code.length}:${Code}${StorageName ?? ""}`;
    const kept = answers.get(key);
    if (kept !== undefined) return kept;

    const code = Code.trim();
    if (code === "") return refuse("WorkOrderDoesNotExist", say("orders.blank-code"));
    const candidate = lookUp(code, fold(StorageName ?? ""));
    if (candidate === undefined) return refuse("WorkOrderDoesNotExist", whyNone(code));
    if (candidate.fits === 0) {
      const { number, storage } = candidate;
      return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage: storage ?? "" }));
    }
    const found = content.get(candidate.id);
    // Gone between two look-ups: the writer may commit at any time.
    if (found === undefined) return refuse("WorkOrderDoesNotExist", whyNone(code));
    // Still being picked, so it is found; but nobody is to go on without knowing.
    const message = found.changed === 1 ? warningOf(candidate.number) : undefined;
    const telling = message === undefined ? {} : { message };
    // Checked by the engine then, like an order of any other system.
    if (!isSound()) return ok(JSON.parse(found.json) as WorkOrder, telling);
    const answer = ok(new ReadyJson(found.json), telling);
    // Refusals are not kept: an order may be pushed the moment after, and unknown codes are without number.
    answers.keep(key, answer, found.json.length);
    return answer;
  };
}

/** In a query over work_order: whether the order was ever changed; only then is there anything to warn of. */
export const isChanged = "EXISTS (SELECT 1 FROM wanted WHERE wanted.order_number = work_order.number)";
export const changedColumn = `${isChanged} AS changed`;

/** Whether the external system wants nothing of the order any more. */
export function isCancelledWhileRunning(changed: Pick<ChangedOrders, "read">, orderNumber: string): boolean {
  const family = changed.read(orderNumber);
  return family !== undefined && isCalledOff(family);
}

export interface ReadyAnswers<Answer> {
  readonly get: (key: string) => Answer | undefined;
  readonly keep: (key: string, answer: Answer, size: number) => void;
  readonly drop: () => void;
}

/**
 * A bounded memory of finished answers; those not used for long go first. The store is far slower than the rest of
 * a scan, and the same label is often scanned again.
 */
export function readyAnswers<Answer>(limits: { maxCount: number; maxBytes: number }): ReadyAnswers<Answer> {
  // A use only marks an answer: to move it within the map at every scan would take as long as all the rest of the
  // look-up. Where room is needed, the map is gone through by age, and a marked answer gets another turn.
  const kept = new Map<string, { readonly answer: Answer; readonly bytes: number; isUsed: boolean }>();
  let bytes = 0;

  const forget = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  return {
    get: (key) => {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      entry.isUsed = true;
      return entry.answer;
    },
    keep: (key, answer, size) => {
      forget(key);
      // Codes come from outside and count too: four-kilobyte codes must not fill what four-byte codes may.
      const entry = { answer, bytes: size + key.length, isUsed: false };
      if (entry.bytes > limits.maxBytes) return;
      kept.set(key, entry);
      bytes += entry.bytes;
      for (const [oldestKey, oldest] of kept) {
        if (kept.size <= limits.maxCount && bytes <= limits.maxBytes) break;
        if (oldest.isUsed) {
          kept.delete(oldestKey);
          kept.set(oldestKey, { ...oldest, isUsed: false });
        } else forget(oldestKey);
      }
    },
    drop: () => {
      kept.clear();
      bytes = 0;
    },
  };
}
