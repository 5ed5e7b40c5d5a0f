import type { ContainerFinished, OrderFinished } from "../../../contract/derived-events.ts";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { EventId, InputOf } from "../../../contract/operations.ts";
import type { PushedElement, PushTopic } from "../../../contract/pushes.ts";
import type { PickingSummary } from "../../../contract/schemas/confirm-step.ts";
import {
  type Phrase,
  type PhraseValue,
  phrase,
  phraseList,
  phraseOr,
  sayPhrase,
} from "../../../messages/phrases/phrase.ts";

/** The embedded store's message to the external system about a change; `src/store` has the full type. */
interface Receipt {
  readonly receipt: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly lotNumber?: string | null;
  readonly atStep?: number | null;
  readonly pickedAmount?: number | null;
}

type Described = { readonly [Id in EventId]: InputOf<Id> } & { readonly [Topic in PushTopic]: PushedElement[Topic] } & {
  readonly changeReceipt: Receipt;
  readonly orderFinished: OrderFinished;
  readonly containerFinished: ContainerFinished;
};

/** For each topic the line that describes the event in lists. */
const sentences: { readonly [Topic in keyof Described]: (event: Described[Topic]) => Phrase } = {
  confirmStep: (step) => {
    const placed = step.amountToConfirmPlacingInBaseUnitOfMeasure;
    const what =
      typeof placed === "number"
        ? phrase("event.placed", { amount: placed })
        : picked(step.amountToConfirmPickingSummary);
    return ofLine(step, what);
  },
  confirmCartStep: (step) => ofLine(step, picked(step.amountToConfirmSummary)),
  confirmPutWallPlacement: ({ completedAmount, itemNumber, confirmedLocationName }) =>
    phrase("event.put", { amount: completedAmount, item: itemNumber, at: at(confirmedLocationName) }),
  cancelPutWallItem: ({ itemNumber }) => phrase("event.cancelledAtWall", { item: itemNumber }),
  cancelWorkOrderRequest: ({ request, requestExternalIdentifier }) =>
    phrase("event.lineCancelled", {
      ...{ line: `${request?.requestId ?? requestExternalIdentifier}`, item: inBrackets(request?.itemNumber) },
    }),
  changeStatus: ({ status }) =>
    phrase("event.status", { status: phraseOr(`status.${nameOf(status)}`, nameOf(status)) }),
  attachWorkOrder: ({ containerCode, isAbandonedOrCancelled }) =>
    phrase(isAbandonedOrCancelled ? "event.released" : "event.attached", { container: containerCode }),
  relocateCartContainers: (moves) =>
    moves.length === 0
      ? phrase("event.nothingMoved")
      : phrase("list", {
          parts: phraseList(
            moves.map(({ containerCode, destinationLocationName }) =>
              phrase("event.moved", { container: `${containerCode}`, place: `${destinationLocationName}` }),
            ),
          ),
        }),
  workOrders: ({ requests, dueDate }) => phrase("event.order", { count: requests.length, due: dueDate }),
  cancellations: ({ requestExternalIdentifier, itemNumber, lotNumber, requestedAmount, reason }) =>
    phrase("event.changeRequest", {
      what: lineOrOrder(requestExternalIdentifier, itemNumber, lotNumber),
      // The new amount may be higher than before.
      change:
        typeof requestedAmount === "number" && requestedAmount > 0
          ? phrase("event.wanted", { amount: requestedAmount })
          : phrase("event.cancelled"),
      reason: inBrackets(reason),
    }),
  changeReceipt: ({ receipt, requestExternalIdentifier, itemNumber, lotNumber, atStep, pickedAmount }) => {
    const facts = [
      ...(typeof atStep === "number" ? [phrase("event.atStep", { step: atStep })] : []),
      ...(typeof pickedAmount === "number" ? [phrase("event.pickedAmount", { amount: pickedAmount })] : []),
    ];
    return phrase("event.receipt", {
      receipt: phraseOr(`change.${receipt}`, receipt),
      what: lineOrOrder(requestExternalIdentifier, itemNumber, lotNumber),
      facts: facts.length === 0 ? "" : phrase("brackets", { text: phraseList(facts) }),
    });
  },
  orderFinished: ({ outcome, lines, containers }) => {
    const short = lines.filter(({ isComplete }) => !isComplete).length;
    const parts = [
      counted(lines.length),
      ...(short === 0 ? [] : [phrase("event.short", { count: short })]),
      ...(containers.length === 0 ? [] : [phrase("event.in", { containers: containers.join(", ") })]),
    ];
    return phrase("event.orderFinished", {
      ...{ outcome: phraseOr(`finished.${outcome}`, outcome), parts: phraseList(parts) },
    });
  },
  containerFinished: ({ containerCode, lines, destinationLocationName }) =>
    phrase("event.containerFinished", {
      ...{ container: containerCode, at: at(destinationLocationName), lines: counted(lines.length) },
    }),
  items: ({ number, name }) => phrase("event.item", { number, name: inBrackets(name) }),
  indexableValues: ({ value }) => (value ? phrase("event.indexed", { value }) : phrase("event.indexedByNothing")),
  stock: ({ itemNumber, locationName, amount }) =>
    phrase("event.stock", { amount, item: itemNumber, at: at(locationName) }),
};

const maxCharacters = 200;
const cutText = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text);

/**
 * Describes the event in one line. Without a sentence for its topic, the phrase is null and the text is the content
 * itself.
 */
export function describeEvent(
  topic: string,
  value: unknown,
): { readonly text: string; readonly phrase: Phrase | null } {
  // The same line checks that the topic is a member.
  const sentence = Object.hasOwn(sentences, topic) ? sentences[topic as keyof Described] : undefined;
  if (value === undefined) return shortText(phrase("event.erased"));
  try {
    // Stored values were checked against the schema of their topic; values of an older version may lack members.
    if (sentence !== undefined) return shortText(sentence(value as never));
  } catch {
    // The content is shown itself, below.
  }
  return { text: cutText(JSON.stringify(value)), phrase: null };
}

const shortText = (one: Phrase) => ({ text: cutText(sayPhrase(one)), phrase: one });

interface Step {
  readonly requestId: number;
  readonly itemNumber?: string | null | undefined;
  readonly requestRemainingAmountInBaseUnitOfMeasure?: number | null | undefined;
}

function ofLine(
  { requestId, itemNumber, requestRemainingAmountInBaseUnitOfMeasure: left }: Step,
  what: Phrase,
): Phrase {
  return phrase("event.step", {
    ...{ line: String(requestId), item: inBrackets(itemNumber), what },
    left: typeof left === "number" ? phrase("event.left", { amount: left }) : "",
  });
}

function picked(summary: PickingSummary | null | undefined): Phrase {
  const shares = summary?.containersBreakdown ?? [];
  const amount = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  const containers = [...new Set(shares.flatMap(({ containerCode }) => (containerCode ? [containerCode] : [])))];
  return phrase("event.picked", {
    amount,
    from: summary?.locationName ? phrase("event.from", { place: summary.locationName }) : "",
    into: containers.length === 0 ? "" : phrase("event.into", { containers: cutText(containers.join(", ")) }),
  });
}

type Name = string | null | undefined;

/** Names a line by its external identifier, or by its item and lot; the whole order if no line is named. */
function lineOrOrder(line: Name, item: Name, lot: Name): Phrase {
  if (line) return phrase("event.line", { line });
  if (item && lot) return phrase("event.line", { line: phrase("event.lot", { item, lot }) });
  const only = item || lot;
  return only ? phrase("event.line", { line: only }) : phrase("event.theOrder");
}

export const inBrackets = (text: Name): PhraseValue => (text ? phrase("brackets", { text }) : "");
const at = (place: Name): PhraseValue => (place ? phrase("event.at", { place }) : "");
const counted = (count: number): Phrase => phrase("event.lines", { count });
const nameOf = (status: number): string =>
  Object.entries(WorkOrderStatus).find(([, number]) => number === status)?.[0] ?? String(status);
