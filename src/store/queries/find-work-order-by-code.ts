import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, nullable, pick, type Row, row, text, textOf } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, refuse } from "../../operation/outcome.ts";
import { type LongText, type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { fold } from "../order-store.ts";
import { workOrderRow } from "../store-rows.ts";
import { type ChangeNotices, type Known, whenKnown } from "./change-notices.ts";
import { longBytes } from "./listed-orders.ts";

const maxShownLength = 60;
const maxShownCodes = 5;

/** A scanned code, shortened for the operator. Path values may be kilobytes long; a device shows one line. */
export const shownCode = (code: string): string =>
  code.length > maxShownLength ? `${code.slice(0, maxShownLength)}…` : code;

/** The first few codes: an operator reads one line, not a thousand numbers. */
export function shownCodes(codes: readonly string[]): string {
  const first = codes.slice(0, maxShownCodes).map(shownCode).join(", ");
  return codes.length > maxShownCodes ? `${first}, …` : first;
}

/** The columns that a scanned code may match, the most specific first. */
const codeColumns = ["number", "alternative_start", "external_identifier"] as const;

const openRow = row({ ...pick(workOrderRow, "id", "number", "storage").columns, fits: integer, exact: integer });
type OpenCandidate = Row<typeof openRow>;
const closedRow = row({ number: text, state: textOf("finished", "cancelled"), exact: integer });

type Answer = Outcome<"findWorkOrderByCode">;

/** The storage outweighs the spelling: an order that cannot be done at this storage is never the better match. */
const rank = ({ fits, exact }: OpenCandidate): number => 2 * fits + exact;

export function findWorkOrderByCode(needs: {
  readonly database: Database;
  readonly answers: ReadyAnswers<Answer>;
  readonly notices: Pick<ChangeNotices, "of">;
  readonly longTexts: Pick<LongTexts, "open">;
  readonly isSound: () => boolean;
}): (input: InputOf<"findWorkOrderByCode">) => Known<Answer> {
  const { database, answers, notices, longTexts, isSound } = needs;
  // One row per column is enough: among all orders with a code, the oldest that fits the storage is done next. If the
  // order has no storage or the scan names none, the comparison is NULL: such an order fits everywhere.
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
    // SQLite stores the length before the text, so a long text is not read.
    `SELECT CASE WHEN octet_length(json) <= ${longBytes} THEN json END AS json, octet_length(json) AS bytes,
       ${changedColumn} FROM work_order WHERE id = ?`,
    row({ json: nullable(text), bytes: integer, changed: integer }),
  );

  const lookUp = (code: string, storage: string): OpenCandidate | undefined => {
    const folded = fold(code);
    let best: OpenCandidate | undefined;
    for (const query of open) {
      const candidate = query.get(storage, code, folded);
      if (candidate === undefined) continue;
      if (best === undefined || rank(candidate) > rank(best)) best = candidate;
      // No later column can be better, and most labels carry the order number itself.
      if (candidate.fits === 1 && candidate.exact === 1) break;
    }
    return best;
  };

  const whyNone = (code: string): Known<Message> => {
    const past = closed.flatMap((query) => query.get(code, fold(code)) ?? []).sort((a, b) => b.exact - a.exact)[0];
    if (past === undefined) return say("orders.unknown-code", { code: shownCode(code) });
    // Cancelled after its end: what was picked is to be put aside.
    const { number, state } = past;
    if (state === "cancelled") return say("orders.cancelled", { number });
    return whenKnown(notices.of(number), (notice) => {
      const stop = notice?.isCalledOff === true ? notice.stop : undefined;
      return stop ?? say("orders.finished", { number });
    });
  };
  const none = (code: string): Known<Answer> => whenKnown(whyNone(code), (why) => refuse("WorkOrderDoesNotExist", why));

  const long = async (wanted: LongText, code: string, extras: { message?: Message }): Promise<Answer> => {
    const text = await longTexts.open(wanted);
    if (text === undefined) return await none(code);
    if (isSound()) return ok(text, extras);
    const order = await parsedText(text);
    // The stored text was written from an order.
    return order === undefined ? await none(code) : ok(order as WorkOrder, extras);
  };

  return ({ Code, StorageName }) => {
    // The length keeps keys apart: no two different scans share one, whatever characters a code has.
    const key = `${Code.length}:${Code}${StorageName ?? ""}`;
    const kept = answers.get(key);
    if (kept !== undefined) return kept;

    const code = Code.trim();
    if (code === "") return refuse("WorkOrderDoesNotExist", say("orders.blank-code"));
    const candidate = lookUp(code, fold(StorageName ?? ""));
    if (candidate === undefined) return none(code);
    if (candidate.fits === 0) {
      const { number, storage } = candidate;
      return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage: storage ?? "" }));
    }
    const found = content.get(candidate.id);
    // The order may be gone between two queries: the writer can commit at any time.
    if (found === undefined) return none(code);
    const { json, bytes } = found;
    const { version } = answers;
    const answerWith = (message: Message | undefined): Known<Answer> => {
      const optionalMessage = message === undefined ? {} : { message };
      if (json === null) return long({ order: candidate.id, must: "be open", bytes }, code, optionalMessage);
      // Stored orders may be unchecked or bad: the engine checks objects, as it does for any other system.
      if (!isSound()) return ok(JSON.parse(json) as WorkOrder, optionalMessage);
      const answer = ok(new ReadyJson(json), optionalMessage);
      // Refusals are not cached: the order may be pushed a moment later, and there is no limit to unknown codes. What was
      // read before the last commit is not cached either.
      if (version() === asOf) answers.keep(key, answer, json.length);
      return answer;
    };
    const asOf = version();
    // An order being picked is still found, but nobody should continue without this warning.
    return found.changed === 1
      ? whenKnown(notices.of(candidate.number), (notice) => answerWith(notice?.scan))
      : answerWith(undefined);
  };
}

/** For queries over work_order: whether the order was ever changed. Only then is there anything to warn about. */
export const isChanged = "EXISTS (SELECT 1 FROM wanted WHERE wanted.order_number = work_order.number)";
export const changedColumn = `${isChanged} AS changed`;

export interface ReadyAnswers<Answer> {
  readonly get: (key: string) => Answer | undefined;
  readonly keep: (key: string, answer: Answer, size: number) => void;
  readonly drop: () => void;
  /** Another number after each drop: what was read before it may be outdated. */
  readonly version: () => number;
}

/**
 * A bounded cache of finished answers; those not used for long are dropped first. The database is far slower than the
 * rest of a scan, and the same label is often scanned again.
 */
export function readyAnswers<Answer>(limits: { maxCount: number; maxBytes: number }): ReadyAnswers<Answer> {
  // A hit only marks an answer: moving it within the map at every scan would take as long as the rest of the lookup.
  // When room is needed, answers are checked by age, and a marked one stays for another round.
  const kept = new Map<string, { readonly answer: Answer; readonly bytes: number; isUsed: boolean }>();
  let bytes = 0;
  let version = 0;

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
      // The key counts too: codes come from outside and may be kilobytes long.
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
      version++;
    },
    version: () => version,
  };
}
