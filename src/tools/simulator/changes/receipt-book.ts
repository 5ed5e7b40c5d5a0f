import type { PickingSummary, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import { add, type JournalLine, wasTaken } from "../books/books.ts";
import type { Finding } from "../calls/call-tally.ts";
import type { RunningLine } from "../orders/running-order.ts";
import {
  type Family,
  followUpNumber,
  isChanged,
  linesOf,
  mayBeUncertain,
  pickedOf,
  type Word,
} from "./order-family.ts";

interface EventBody {
  readonly workOrderNumber?: string;
  readonly itemNumber?: string | null;
  readonly requestExternalIdentifier?: string | null;
  readonly completedAmount?: number | null;
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
  readonly amountToConfirmPlacingInBaseUnitOfMeasure?: number | null;
  readonly updateWorkOrderRequest?: UpdateWorkOrderRequest | null;
}

const steps = new Set(["confirmStep", "confirmCartStep"]);

/** Reads the journal in any order, and compares each receipt with what was true when it was written. */
export function openReceiptBook(families: ReadonlyMap<string, Family>): {
  readonly read: (line: JournalLine) => void;
  readonly findings: () => Finding[];
} {
  const journals = new Map<string, FamilyJournal>();
  const entries: { readonly seq: number; readonly apply: () => readonly Finding[] }[] = [];
  const journalOf = (family: Family): FamilyJournal => {
    let journal = journals.get(family.number);
    if (journal === undefined) {
      journal = { picked: new Map(), mostShown: new Map(), begun: new Set(), receipts: [] };
      journals.set(family.number, journal);
    }
    return journal;
  };
  return {
    read: (line) => {
      const isReceipt = line.topic === "changeReceipt";
      if (!isReceipt && !steps.has(line.topic) && line.topic !== "confirmPutWallPlacement") return;
      const [order = ""] = line.orders;
      const family = families.get(order) ?? families.get(order.replace(followUpNumber, ""));
      if (family === undefined || !isChanged(family)) return;
      // Written by this program, or documented (receipts).
      const body = JSON.parse(line.body) as unknown;
      if (!isReceipt) {
        if (!wasTaken(line)) return;
        // The body of an entry of this topic, as the adapter stored it.
        const event = eventIn(family, line.topic, body as EventBody);
        entries.push({ seq: line.seq, apply: () => book(journalOf(family), event) });
        return;
      }
      // The topic says that it is a receipt.
      const receipt = body as Receipt;
      const judge = () => {
        const judged = judgeReceipt(family, journalOf(family), receipt);
        journalOf(family).receipts.push(receipt);
        return judged;
      };
      entries.push({ seq: line.seq, apply: judge });
    },
    findings: () => {
      entries.sort((a, b) => a.seq - b.seq);
      const judged = entries.flatMap(({ apply }) => apply());
      const changed = [...families.values()].filter(isChanged);
      return [...judged, ...changed.flatMap((family) => missingReceipts(family, journalOf(family)))];
    },
  };
}

/** Only the needed parts of an event, because a day has many of them. */
interface Event {
  readonly order: string;
  readonly picked: readonly [group: string, amount: number] | null;
  readonly shown: ReadonlyMap<string, number>;
}

function eventIn(family: Family, topic: string, body: EventBody): Event {
  const order = body.workOrderNumber ?? "";
  if (topic === "confirmPutWallPlacement") {
    const line = [...family.lines.values()].find(({ content }) => content.itemNumber === body.itemNumber);
    const amount = (body.completedAmount ?? 0) * (line?.factor ?? 1);
    return { order, picked: line === undefined ? null : [line.group, amount], shown: new Map() };
  }
  const line = family.lines.get(body.requestExternalIdentifier ?? "");
  const summary = body.amountToConfirmPickingSummary ?? body.amountToConfirmSummary;
  const shares = summary?.containersBreakdown ?? [];
  const picked = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  const placed = body.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0;
  const shown = new Map<string, number>();
  for (const one of body.updateWorkOrderRequest?.itemRequests ?? []) {
    const own = family.lines.get(one.externalIdentifier ?? "");
    if (own !== undefined && one.isCancelled !== true) add(shown, own.group, one.requestedAmount ?? 0);
  }
  return { order, picked: line === undefined ? null : [line.group, picked + placed], shown };
}

function book(journal: FamilyJournal, { order, picked, shown }: Event): readonly Finding[] {
  journal.begun.add(order);
  if (picked !== null) add(journal.picked, ...picked);
  for (const [group, amount] of shown) {
    journal.mostShown.set(group, Math.max(amount, journal.mostShown.get(group) ?? 0));
  }
  return [];
}

/** What the journal contains about one family up to a certain line; amounts in base units, by group. */
export interface FamilyJournal {
  readonly picked: Map<string, number>;
  /** The largest amount that any model has shown. */
  readonly mostShown: Map<string, number>;
  /** Which orders of the family had a step or a placement. */
  readonly begun: Set<string>;
  readonly receipts: Receipt[];
}

/** The adapter's receipt for a change. */
export interface Receipt {
  readonly changeId?: string;
  readonly pushId: string;
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly receipt: string;
  readonly pickedAmount?: number | null;
  readonly requestedAmount?: number;
}

/** Compares a receipt with what was true when it was written. */
function judgeReceipt(family: Family, journal: FamilyJournal, receipt: Receipt): Finding[] {
  const word = family.words.find(({ pushId }) => pushId === receipt.pushId);
  if (word === undefined) return [finding(family, receipt, "a receipt is about no change that was pushed", "none")];
  const keys = keysOf(family, word, receipt);
  const isSecond = journal.receipts.some(
    (one) => one.pushId === receipt.pushId && keysOf(family, word, one).join() === keys.join(),
  );
  if (isSecond) return [finding(family, receipt, "a change has a second receipt", "one")];
  const later = keys.filter((key) => isReplaced(family, word, key));
  // If only some of its lines were changed again, it is open which of them the receipt still covers.
  if (later.length > 0 && later.length < keys.length) return [];
  const groups = new Set(keys.flatMap((key) => family.lines.get(key)?.group ?? []));
  const isWhole = [...groups].every((group) => linesOf(family, group).every(({ key }) => keys.includes(key)));
  if (!isWhole || [...groups].some((group) => mayBeUncertain(family, group))) return [];
  const factor = family.lines.get(keys[0] ?? "")?.factor ?? 1;
  const picked = [...groups].reduce((sum, group) => sum + (journal.picked.get(group) ?? 0), 0) / factor;
  const target = keys.reduce((sum, key) => sum + (word.targets.get(key) ?? 0), 0);
  const shown = [...groups].reduce((sum, group) => sum + (journal.mostShown.get(group) ?? 0), 0) / factor;
  const isClear =
    [...groups].every((group) => linesOf(family, group)[0]?.factor === factor) &&
    journal.begun.size <= 1 &&
    !family.isPutWall &&
    !family.plan.fetchesAgainAt &&
    shown >= mostWanted(family, groups);
  const expected = expectedReceipts({ picked, target, shown, isClear });
  const found = `${receipt.receipt}${receipt.pickedAmount == null ? "" : ` with ${receipt.pickedAmount} picked`}`;
  if (!expected.includes(receipt.receipt)) {
    return [
      finding(
        family,
        receipt,
        `a receipt does not say what came true (${picked} picked, ${target} wanted, ${shown} shown)`,
        expected.join(" or "),
        found,
      ),
    ];
  }
  const isAmountRight = picked <= target || keys.length > 1 || receipt.pickedAmount === picked;
  return isAmountRight
    ? []
    : [finding(family, receipt, "a receipt has another amount than was picked", String(picked), found)];
}

function expectedReceipts(facts: {
  readonly picked: number;
  readonly target: number;
  readonly shown: number;
  /** Whether a single order was fetched once, so that the shown amounts are unambiguous. */
  readonly isClear: boolean;
}): readonly string[] {
  const { picked, target, shown, isClear } = facts;
  if (picked > target) return isClear ? [picked >= shown ? "too-late" : "partly"] : ["partly", "too-late"];
  if (!isClear) return ["removed", "applied"];
  return [shown > target ? "applied" : "removed"];
}

/** Changes that are completely visible at the platform but have no receipt. */
function missingReceipts(family: Family, journal: FamilyJournal): Finding[] {
  return family.words.flatMap((word) => {
    const changes = word.scope === "push" ? [...word.lowered].map((key) => [key]) : [[...word.targets.keys()]];
    return changes.flatMap((keys) => {
      const hasReceipt = journal.receipts.some(
        (one) => one.pushId === word.pushId && keysOf(family, word, one).some((key) => keys.includes(key)),
      );
      if (
        hasReceipt ||
        keys.some((key) => isReplaced(family, word, key)) ||
        !keys.every((key) => isSeen(family, word, key))
      )
        return [];
      const text = `nothing says what became of a change (${word.scope} ${keys.join(", ")})`;
      return [finding(family, null, text, "a receipt", "none")];
    });
  });
}

/** Whether the platform has shown that it has no more of the line than is wanted, or than it had picked. */
function isSeen(family: Family, word: Word, key: string): boolean {
  const line = family.lines.get(key);
  const begun = family.carriers.filter(({ state }) => state !== "waiting");
  if (line === undefined || begun.length === 0 || mayBeUncertain(family, line.group)) return false;
  const isEnded = begun.every(({ state }) => state === "ended");
  if (isEnded) return true;
  // A put wall shows no amounts, and for a line that was fetched again only a step shows how it is counted.
  if (begun.some(({ isShown, isAtWall, floor }) => !isShown || isAtWall || floor?.lines.some(isUncounted)))
    return false;
  // One that was fetched and is waiting may still be worked on as it was; whether it was fetched the adapter cannot know.
  if (family.followedUp.has(line.group)) return false;
  if (family.carriers.some(({ state, everServed }) => state === "waiting" && everServed.has(line.group))) return false;
  const shown = begun.reduce((sum, carrier) => sum + (carrier.shown.get(line.group) ?? 0), 0);
  return shown <= Math.max((word.targets.get(key) ?? 0) * line.factor, pickedOf(family, line.group));
}

const isUncounted = ({ isRenewed, isStepped }: RunningLine): boolean => isRenewed && !isStepped;

/**
 * The largest amount ever wanted, in its own unit: an amount that was never shown may have been withheld by the change.
 */
const mostWanted = ({ amounts }: Family, groups: ReadonlySet<string>): number =>
  [...groups].reduce((sum, group) => sum + Math.max(0, ...(amounts.get(group) ?? [])), 0);

const isReplaced = ({ words }: Family, word: Word, key: string): boolean =>
  words.slice(words.indexOf(word) + 1).some(({ targets }) => targets.has(key));

function keysOf(family: Family, { targets }: Word, { requestExternalIdentifier, itemNumber }: Receipt): string[] {
  if (requestExternalIdentifier) return [requestExternalIdentifier];
  const keys = [...targets.keys()].toSorted();
  return itemNumber ? keys.filter((key) => family.lines.get(key)?.content.itemNumber === itemNumber) : keys;
}

const finding = (family: Family, receipt: Receipt | null, text: string, expected: string, found = ""): Finding => ({
  kind: "amount",
  order: family.number,
  item: receipt?.itemNumber ?? null,
  text:
    receipt === null
      ? text
      : `${text}; ${receipt.requestExternalIdentifier ?? receipt.itemNumber ?? "the order"} to ${receipt.requestedAmount}`,
  expected,
  found: found || (receipt?.receipt ?? "none"),
  calls: [...family.history],
});
