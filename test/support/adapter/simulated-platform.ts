import type { InputOf } from "../../../src/contract/operations.ts";
import type { UpdatedLine, UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import { type Floor, updateOf } from "../floor/floor.ts";

interface PlatformLine {
  readonly requestId: number;
  readonly itemNumber: string;
  requestedAmount: number;
  picked: number;
  isCancelled: boolean;
}

/** How a platform reads the model in an answer: as the lines to change, or as the whole order. */
export type Reading = "patching" | "replacing";

/** A running order in the platform: the model that it sends, and how it applies the answers. */
export class SimulatedPlatform {
  readonly #floor: Floor;
  readonly #reading: Reading;
  readonly #number: string;
  lines: PlatformLine[];
  /** Amounts offered so far, with what was picked at that moment. */
  readonly offers: { requestId: number; amount: number; picked: number }[] = [];

  constructor(floor: Floor, reading: Reading, number: string, amounts: Record<string, number>) {
    this.#floor = floor;
    this.#reading = reading;
    this.#number = number;
    this.lines = Object.entries(amounts).map(([itemNumber, requestedAmount], index) => ({
      requestId: 100 + index,
      itemNumber,
      requestedAmount,
      picked: 0,
      isCancelled: false,
    }));
  }

  /** Picks from a line and applies the answer, unless the answer is lost. */
  pick(index: number, amount: number, answer: "applied" | "lost" = "applied"): void {
    const line = this.lines[index % Math.max(1, this.lines.length)];
    if (line === undefined || line.isCancelled) return;
    const remaining = line.requestedAmount - line.picked;
    const step: InputOf<"confirmStep"> = {
      workOrderNumber: this.#number,
      requestId: line.requestId,
      itemNumber: line.itemNumber,
      requestAmountInBaseUnitOfMeasure: line.requestedAmount,
      requestRemainingAmountInBaseUnitOfMeasure: remaining,
      updateWorkOrderRequest: this.#model(),
      amountToConfirmPickingSummary: {
        locationName: "L",
        containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: Math.min(amount, remaining) }],
      },
    };
    line.picked += Math.min(amount, remaining);
    const update = updateOf(this.#floor.event("confirmStep", step));
    if (update === null) return;
    this.#noteOffers(update);
    if (answer === "applied") this.#apply(update);
  }

  /** The operator gives up a line. */
  giveUp(index: number): void {
    const line = this.lines[index % Math.max(1, this.lines.length)];
    if (line === undefined || line.isCancelled) return;
    line.isCancelled = true;
    this.#floor.event("cancelWorkOrderRequest", {
      workOrderNumber: this.#number,
      request: {
        requestId: line.requestId,
        itemNumber: line.itemNumber,
        requestedAmountInBaseUnitOfMeasure: line.requestedAmount,
        completedAmountInBaseUnitOfMeasure: line.picked,
        isCancelled: true,
      },
    });
  }

  /** The total that the platform would pick, by item. */
  wanted(): Record<string, number> {
    return Object.fromEntries(
      this.lines.map((line) => [line.itemNumber, line.isCancelled ? line.picked : line.requestedAmount]),
    );
  }

  #model(): UpdateWorkOrderRequest {
    return {
      id: 1,
      itemRequests: this.lines.map(({ requestId, itemNumber, requestedAmount, isCancelled }) => ({
        requestId,
        itemNumber,
        requestedAmount,
        isCancelled,
      })),
    };
  }

  #noteOffers(update: UpdateWorkOrderRequest): void {
    for (const offered of update.itemRequests ?? []) {
      const line = this.lines.find(({ requestId }) => requestId === offered.requestId);
      if (line === undefined || line.isCancelled) continue;
      const amount = offered.isCancelled === true ? 0 : (offered.requestedAmount ?? 0);
      this.offers.push({ requestId: line.requestId, amount, picked: line.picked });
    }
  }

  #apply(update: UpdateWorkOrderRequest): void {
    const updated = new Map((update.itemRequests ?? []).map((line) => [line.requestId, line]));
    if (this.#reading === "patching") {
      for (const line of this.lines) applyTo(line, updated.get(line.requestId));
      return;
    }
    // Lines that are not in the model are removed, and cancelled lines leave the order for good.
    this.lines = this.lines.filter(({ requestId }) => updated.has(requestId));
    for (const line of this.lines) applyTo(line, updated.get(line.requestId));
    this.lines = this.lines.filter(({ isCancelled, picked }) => !isCancelled || picked > 0);
  }
}

function applyTo(line: PlatformLine, update: UpdatedLine | undefined): void {
  if (update === undefined) return;
  line.requestedAmount = update.requestedAmount ?? line.requestedAmount;
  line.isCancelled = update.isCancelled ?? line.isCancelled;
}
