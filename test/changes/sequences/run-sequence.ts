import type { InputOf } from "../../../src/contract/operations.ts";
import type { UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { isLeftOut } from "../model/left-out.ts";
import { groupNumber, type Model, openModel } from "../model/model.ts";
import { isOpen, lastContent, type OrderGroup, pickedInGroup, sum } from "../model/order-group.ts";
import { openPlacements } from "../model/placements.ts";
import { targetsOf } from "../model/reconcile.ts";
import type { LineSpec, Sequence } from "../play/commands.ts";
import {
  compareAttach,
  compareList,
  comparePutAside,
  compareReceipts,
  compareScan,
  compareUpdate,
  type Difference,
  expectedUpdate,
  updateOf,
} from "../play/compare.ts";
import { openPlatform, type Platform } from "../play/platform.ts";
import { play } from "../play/play.ts";
import { removedReceiptAfterMinutes, type World } from "../play/world.ts";

/** One request of the sequence with its answer, for printing. */
export interface Played {
  readonly topic: string;
  readonly payload: unknown;
  readonly answer: unknown;
}

/** What the reference model has come to at the end of a sequence; of its first order. */
export interface Reached {
  readonly followUps: readonly (readonly number[])[];
  readonly content: readonly number[];
  /** Of the last step, by line of its model; -1: as it was. */
  readonly offers: readonly number[] | null | undefined;
  readonly putAside: number | undefined;
  readonly state: string | undefined;
  readonly receipts: readonly string[];
  readonly isCalledOff: boolean;
}

export interface Outcome {
  readonly played: readonly Played[];
  readonly differences: readonly Difference[];
  readonly comparisons: number;
  /** What came up that behaviour.md leaves open. */
  readonly openQueries: readonly string[];
  readonly reached: Reached;
}

/** What the commands of one sequence work with. */
export interface Stage {
  readonly orders: readonly (readonly LineSpec[])[];
  readonly model: Model;
  readonly platform: Platform;
  readonly prefix: string;
  readonly factorOf: (item: string) => number;
  readonly itemName: (index: number) => string;
  /** What the external system pushed last, by order. */
  readonly pushed: Map<number, readonly number[]>;
  readonly scan: (number: string) => Promise<WorkOrder | undefined>;
  readonly wait: (minutes: number) => void;
  readonly restart: () => void;
  /** The body of the latest request. */
  readonly lastSent: () => unknown;
  /** Sends one entry to both, compares what they answer, and gives the update a step is answered with. */
  readonly send: (
    topic: string,
    payload: object,
    received?: UpdateWorkOrderRequest | null,
  ) => UpdateWorkOrderRequest | null;
}

/**
 * Plays a sequence against the implementation and the reference model; ends at the first difference. Without a world
 * the model plays alone.
 */
export async function runSequence(world: World | undefined, sequence: Sequence, name: string): Promise<Outcome> {
  const prefix = `${name}.`;
  const itemName = (index: number) => `${prefix}${["A", "B", "M"][index] ?? "A"}`;
  const factorOf = (item: string) => (item.endsWith("M") ? 1000 : 1);
  const model = openModel({ factorOf, removedReceiptAfterMinutes });
  const clock = manualClock();
  const played: Played[] = [];
  const differences: Difference[] = [];
  const receipts: string[] = [];
  let last: { offers: Reached["offers"]; putAside: number | undefined } = { offers: undefined, putAside: undefined };
  const placements = openPlacements(factorOf);
  let comparisons = 0;
  let touched: OrderGroup | undefined;

  const send: Stage["send"] = (topic, payload, received) => {
    const id = `${prefix}${played.length + 1}`;
    clock.advance({ seconds: 2 });
    const answered = world?.apply(id, topic, payload);
    const receivedAt = world?.now() ?? clock.now();
    const expected = model.apply({ id, seq: played.length, topic, payload, receivedAt });
    const emits = answered === undefined || answered.emits.length === 0 ? {} : { emits: answered.emits };
    played.push({ topic, payload, answer: { ...answered?.outcome, ...emits } });
    touched = expected.group;
    const isPartly = touched !== undefined && isOpen(touched);
    const updated = expectedUpdate(expected, received);
    const offers = received?.itemRequests?.map((line) => expected.offers?.get(line.requestId ?? 0) ?? -1);
    last = { offers: expected.offers === null ? null : offers, putAside: expected.putAside?.amount };
    receipts.push(...expected.due.map(({ states }) => states.join("|")));
    if (expected.offers !== undefined) placements.step(payload, expected);
    // Built by the driver with the members of this event.
    if (topic === "confirmPutWallPlacement") placements.place(payload as InputOf<"confirmPutWallPlacement">);
    if (answered !== undefined) {
      comparisons += 4;
      if (!isPartly)
        differences.push(...compareUpdate(expected, updated, answered), ...compareAttach(expected, answered));
      if (!isLeftOut("put-aside")) differences.push(...comparePutAside(expected, answered));
      if (!isLeftOut("receipts")) differences.push(...compareReceipts(expected, answered, model, prefix));
      if (isPartly) return updateOf(answered);
    } else for (const { change } of expected.due) change.isTold = true;
    return updated;
  };

  const stage: Stage = {
    ...{ orders: sequence.orders, model, platform: openPlatform(factorOf), prefix, factorOf, itemName },
    ...{ pushed: new Map(), send },
    scan: async (number) => (world === undefined ? modelScan(model, number) : (await world.scan(number)).order),
    wait: (minutes) => (world === undefined ? clock.advance({ minutes }) : world.advanceMinutes(minutes)),
    restart: () => world?.restart(),
    lastSent: () => played.at(-1)?.payload,
  };
  for (const command of sequence.commands) {
    const before = played.length;
    await play(command, stage);
    if (differences.length > 0) break;
    if (world !== undefined && played.length > before) await compareState(world);
    if (differences.length > 0) break;
  }
  if (differences.length === 0) differences.push(...brokenPromises(model));
  const openQueries = [...model.groups.values()].flatMap(({ undecided }) => undecided ?? []);
  const [main, ...followUps] = model.groups.get(`${prefix}1`)?.members ?? [];
  const reached: Reached = {
    ...{ ...last, receipts, state: main?.state, isCalledOff: main?.state === "running" && main.content.size === 0 },
    followUps: followUps.map(({ content }) => [...content.values()]),
    content: [...(main?.content.values() ?? [])],
  };
  return { played, differences, comparisons, openQueries, reached };

  async function compareState(world: World): Promise<void> {
    differences.push(...compareList(await world.list(), model, factorOf));
    const group = touched;
    const isBooked = last.offers !== undefined || played.at(-1)?.topic === "confirmPutWallPlacement";
    if (group === undefined || isOpen(group) || isLeftOut("scans")) return;
    for (const member of group.members) {
      comparisons += 2;
      if (isBooked) differences.push(...placements.compare(member.number, await world.report([member.number])));
      differences.push(...compareScan(member, group, await world.scan(member.number), factorOf));
    }
  }
}

/** What holds at the end of every sequence, whatever happened in it. */
function brokenPromises(model: Model): Difference[] {
  return [...model.groups.values()].flatMap((group) =>
    [...group.lines.values()].flatMap((line) => {
      const { targets, left } = targetsOf(group, line);
      const total = sum(targets.values()) + left;
      const most = Math.max(line.wanted, pickedInGroup(group, line.key));
      return total <= most ? [] : [{ what: `targets of ${line.key} in all`, expected: `${most} at most`, got: total }];
    }),
  );
}

/** What a scan gives by the model alone. */
function modelScan(model: Model, number: string): WorkOrder | undefined {
  const group = model.groups.get(groupNumber(number));
  const member = group?.members.find((one) => one.number === number);
  if (group === undefined || member === undefined || member.state === "ended") return undefined;
  const content = member.content.size === 0 ? lastContent(group, member) : member.content;
  if (content === undefined) return undefined;
  if (member.state === "waiting" && member.content.size === 0) return undefined;
  const requests = [...content].flatMap(([key, amount], index) => {
    const line = group.lines.get(key);
    if (line === undefined) return [];
    const { item: itemNumber, externalId, lot, factor } = line;
    const unitOfMeasure = factor === 1 ? (0 as const) : (1 as const);
    return [
      {
        ...{ itemNumber, requestedAmount: amount / factor, unitOfMeasure, requestType: 1 as const, order: index + 1 },
        ...{ requestExternalIdentifier: externalId, lotNumber: lot },
      },
    ];
  });
  return { number, dueDate: "2026-03-01T08:00:00Z", requests };
}
