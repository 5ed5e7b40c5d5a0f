import type { Command, LineSpec, Sequence } from "../play/commands.ts";

/** A sequence that once ended in wrong stock: what has to stand at its end. */
export interface ListedSequence extends Sequence {
  readonly name: string;
  /** Of the last entry, or of the state after it. */
  readonly right: Right;
}

export interface Right {
  /** Amounts of each follow-up order, by line, in the base unit. */
  readonly followUps?: readonly (readonly number[])[];
  /** What a scan of the order gives, by line, in the base unit. */
  readonly content?: readonly number[];
  /** What the last step offered, by line of its model; null: nothing. */
  readonly offers?: readonly number[] | null;
  readonly putAside?: number;
  readonly state?: "waiting" | "running" | "ended";
  /** Every receipt so far. */
  readonly receipts?: readonly string[];
  /** Whether a scan warns that the whole order is cancelled. */
  readonly isCalledOff?: boolean;
}

export const at = { order: 0, member: 0 };
export const line = (amount: number, more: Partial<LineSpec> = {}): LineSpec => ({
  ...{ item: 0, hasExternalId: true, lot: 0, amount },
  ...more,
});
export const push = (...amounts: number[]): Command => ({ kind: "push", order: 0, amounts });
export const reduce = (amount: number, more: Partial<Extract<Command, { kind: "cancel" }>> = {}): Command => ({
  ...{ kind: "cancel", order: 0, line: 0, scope: "line", amount },
  ...more,
});
export const cancelOrder = reduce(0, { scope: "order" });
export const fetch: Command = { kind: "fetch", ...at };
export const step = (amount: number, more: Partial<Extract<Command, { kind: "step" }>> = {}): Command => ({
  ...{ kind: "step", ...at, line: 0, amount, how: "some", hasModel: true, isCart: false, isStale: true },
  offer: "apply",
  ...more,
});
export const ignored = { offer: "ignore" } as const;
export const all = { how: "all" } as const;
export const place = (amount: number): Command => ({ kind: "place", ...at, line: 0, amount });
export const scanAgain = (isCarriedOver: boolean): Command => ({ kind: "scan-again", ...at, isCarriedOver });
export const attach = (order = 0): Command => ({ kind: "attach", order, member: 0, container: 0 });

export const listed = (
  name: string,
  amounts: readonly (number | LineSpec)[],
  commands: readonly Command[],
  right: Right,
): ListedSequence => ({
  ...{ name, commands: [{ kind: "push-same", order: 0 }, ...commands], right },
  orders: [amounts.map((one) => (typeof one === "number" ? line(one) : one)), [line(5)]],
});

const isCart = { isCart: true } as const;
export const metres = (amount: number) => line(amount, { item: 2 });

/** Each with its sisters: the same by another way. */
export const listedSequences: readonly ListedSequence[] = [
  listed(
    "a reduction survives that the waiting line is partly raised again",
    [7],
    [fetch, reduce(1), push(3), step(0, ignored)],
    { offers: [3] },
  ),
  listed(
    "… by item, and told with a cart step",
    [line(7, { hasExternalId: false })],
    [fetch, reduce(1), push(3), step(1, { ...isCart, ...ignored })],
    { offers: [3] },
  ),
  listed("… with a second line that stays", [7, 4], [fetch, reduce(1), push(3, 4), step(1, { line: 1, ...ignored })], {
    offers: [3, -1],
  }),
  listed(
    "… in metres nothing is offered while the factor is in doubt",
    [metres(4)],
    [reduce(2), fetch, reduce(1), step(0, { ...ignored, isStale: false })],
    { offers: null },
  ),
  listed(
    "a reduction that was applied counts after a second one replaced it",
    [6],
    [step(1), reduce(3), step(0), step(0), reduce(0), push(6)],
    { followUps: [[3]] },
  ),
  listed(
    "… and when a step shows it only after that",
    [6],
    [step(1), reduce(3), step(0), reduce(0), push(6), step(0)],
    { followUps: [[3]], offers: null },
  ),
  listed(
    "… and when the second one is the whole order's",
    [6],
    [step(1), reduce(3), step(0), step(0), cancelOrder, push(6)],
    { followUps: [[3]], isCalledOff: false },
  ),
  listed("an increase of an order that was fetched but not begun is followed up", [5], [fetch, push(8), step(0, all)], {
    followUps: [[3]],
  }),
  listed("… with the first step already", [5], [fetch, push(8), step(1, { hasModel: false })], { followUps: [[3]] }),
  listed("… and a new line too", [5], [fetch, push(5), step(0), push(7)], { followUps: [[2]] }),
  listed("… and goes again with the increase", [5], [fetch, push(8), step(1), push(5)], { followUps: [[]] }),
  listed(
    "the put wall keeps quiet while another line of the item wants the goods",
    [3, 4],
    [place(1), reduce(0), place(3)],
    { putAside: 0 },
  ),
  listed("… and names only the pieces beyond", [3, 4], [place(1), reduce(0), place(3), place(2)], { putAside: 2 }),
  listed(
    "cancelled, partly picked and pushed again, an order goes on as it is",
    [5],
    [step(2), cancelOrder, step(1, ignored), push(5)],
    { followUps: [], isCalledOff: false },
  ),
  listed(
    "… less what the platform gave up",
    [5],
    [step(2), cancelOrder, step(1), step(0, { how: "too-many" }), push(7)],
    { followUps: [[3]] },
  ),
  listed(
    "pieces picked of a line that was cancelled while it waited are counted",
    [4, 2],
    [fetch, reduce(0), step(0, { ...all, ...ignored }), push(4, 2)],
    { followUps: [] },
  ),
  listed(
    "… also where a part of them was picked",
    [4, 2],
    [fetch, reduce(0), step(3), step(1, { line: 1 }), push(4, 2)],
    { followUps: [[1]] },
  ),
  listed(
    "no follow-up is left where the platform never took the reduction over",
    [10],
    [step(1), reduce(6), step(1, ignored), push(10), step(0, all)],
    { followUps: [] },
  ),
  listed("… and one that stood is withdrawn", [10], [step(1), reduce(6), step(1), step(1), push(10), push(6)], {
    followUps: [[]],
  }),
  listed(
    "an order fetched again with new request ids ends and frees its container",
    [5],
    [attach(), step(2), scanAgain(true), step(0, all), { kind: "push-same", order: 1 }, attach(1)],
    { state: "ended" },
  ),
  listed(
    "… also where the platform starts to count anew",
    [5],
    [attach(), step(2), push(4), scanAgain(false), step(1), step(0, all)],
    { state: "ended" },
  ),
  listed(
    "nothing is called applied that was not: to 2, then to 3",
    [6],
    [step(1), reduce(2), reduce(3), step(0), step(1)],
    { receipts: ["applied"] },
  ),
  listed("… to 1, offered, then to 4", [6], [step(1), reduce(1), step(0, ignored), reduce(4), step(0), step(1)], {
    receipts: ["applied"],
  }),
  listed("… 9 on a line of 6", [6], [step(1), reduce(9), step(1)], { followUps: [[3]] }),
  {
    ...listed("an order that was worked on before it was pushed is not offered as new", [5], [], { state: "running" }),
    commands: [step(2), push(5)],
  },
  {
    ...listed("… nor with a lower amount, and the step is told", [5], [], { offers: [3] }),
    commands: [step(2), push(3), step(1, ignored)],
  },
  listed("removed comes with the end of the order", [5, 4], [reduce(0, { line: 1 }), fetch, step(0, all)], {
    receipts: ["removed"],
    state: "ended",
  }),
  listed("… also of a line that a push left out", [5, 4], [push(5, 0), fetch, step(0, all)], {
    receipts: ["removed"],
    state: "ended",
  }),
];
