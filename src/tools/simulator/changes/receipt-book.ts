import type { PickingSummary, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { Finding } from "../calls/call-tally.ts";
import { add, type JournalLine, wasTaken } from "../records/platform-records.ts";
import { judgeReceipt, missingReceipts, type OrderGroupJournal, type Receipt } from "./judge-receipts.ts";
import { followUpNumber, isChanged, type OrderGroup } from "./simulated-order-group.ts";

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

/** Reads journal lines in any order, and compares each receipt with what was true when it was written. */
export function openReceiptBook(orderGroups: ReadonlyMap<string, OrderGroup>): {
  readonly read: (line: JournalLine) => void;
  readonly findings: () => Finding[];
} {
  const journals = new Map<string, OrderGroupJournal>();
  const entries: { readonly seq: number; readonly apply: () => readonly Finding[] }[] = [];
  const journalOf = (orderGroup: OrderGroup): OrderGroupJournal => {
    let journal = journals.get(orderGroup.number);
    if (journal === undefined) {
      journal = { picked: new Map(), mostShown: new Map(), begun: new Set(), receipts: [] };
      journals.set(orderGroup.number, journal);
    }
    return journal;
  };
  return {
    read: (line) => {
      const isReceipt = line.topic === "changeReceipt";
      if (!isReceipt && !steps.has(line.topic) && line.topic !== "confirmPutWallPlacement") return;
      const [order = ""] = line.orders;
      const orderGroup = orderGroups.get(order) ?? orderGroups.get(order.replace(followUpNumber, ""));
      if (orderGroup === undefined || !isChanged(orderGroup)) return;
      // Written by this program, or documented (receipts).
      const body = JSON.parse(line.body) as unknown;
      if (!isReceipt) {
        if (!wasTaken(line)) return;
        // The body of an entry of this topic, as the adapter stored it.
        const event = eventIn(orderGroup, line.topic, body as EventBody);
        entries.push({ seq: line.seq, apply: () => book(journalOf(orderGroup), event) });
        return;
      }
      // The topic says that it is a receipt.
      const receipt = body as Receipt;
      const judge = () => {
        const judged = judgeReceipt(orderGroup, journalOf(orderGroup), receipt);
        journalOf(orderGroup).receipts.push(receipt);
        return judged;
      };
      entries.push({ seq: line.seq, apply: judge });
    },
    findings: () => {
      entries.sort((a, b) => a.seq - b.seq);
      const judged = entries.flatMap(({ apply }) => apply());
      const changed = [...orderGroups.values()].filter(isChanged);
      return [...judged, ...changed.flatMap((orderGroup) => missingReceipts(orderGroup, journalOf(orderGroup)))];
    },
  };
}

/** The needed parts of an event only, because a day has many events. */
interface Event {
  readonly order: string;
  readonly picked: readonly [group: string, amount: number] | null;
  readonly shown: ReadonlyMap<string, number>;
}

function eventIn(orderGroup: OrderGroup, topic: string, body: EventBody): Event {
  const order = body.workOrderNumber ?? "";
  if (topic === "confirmPutWallPlacement") {
    const line = [...orderGroup.lines.values()].find(({ content }) => content.itemNumber === body.itemNumber);
    const amount = (body.completedAmount ?? 0) * (line?.factor ?? 1);
    return { order, picked: line === undefined ? null : [line.group, amount], shown: new Map() };
  }
  const line = orderGroup.lines.get(body.requestExternalIdentifier ?? "");
  const summary = body.amountToConfirmPickingSummary ?? body.amountToConfirmSummary;
  const shares = summary?.containersBreakdown ?? [];
  const picked = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  const placed = body.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0;
  const shown = new Map<string, number>();
  for (const one of body.updateWorkOrderRequest?.itemRequests ?? []) {
    const own = orderGroup.lines.get(one.externalIdentifier ?? "");
    if (own !== undefined && one.isCancelled !== true) add(shown, own.group, one.requestedAmount ?? 0);
  }
  return { order, picked: line === undefined ? null : [line.group, picked + placed], shown };
}

function book(journal: OrderGroupJournal, { order, picked, shown }: Event): readonly Finding[] {
  journal.begun.add(order);
  if (picked !== null) add(journal.picked, ...picked);
  for (const [group, amount] of shown) {
    journal.mostShown.set(group, Math.max(amount, journal.mostShown.get(group) ?? 0));
  }
  return [];
}
