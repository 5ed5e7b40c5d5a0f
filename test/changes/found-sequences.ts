import type { Command } from "./commands.ts";
import {
  all,
  at,
  attach,
  cancelOrder,
  fetch,
  ignored,
  line,
  listed,
  metres,
  place,
  push,
  reduce,
  scanAgain,
  step,
} from "./listed-sequences.ts";

const shortPick: Command = { kind: "short-pick", ...at, line: 0 };
const wait: Command = { kind: "wait", minutes: 180 };
const beginFollowUp: Command = { kind: "attach", order: 0, carrier: 1, container: 1 };
const unnamed = { hasExternalId: false } as const;
const newest = { isStale: false } as const;
const secondOrder = (amount: number, more: object = {}): Command => ({ ...step(amount, more), order: 1 }) as Command;

/** Sequences that random ones were made small to, each a rule of its own. */
export const foundSequences = [
  listed("a follow-up that was begun and has shown nothing holds its amount", [2], [step(1), push(8), beginFollowUp], {
    followUps: [[6]],
  }),
  listed("while the factor is in doubt nobody is told to put pieces aside", [metres(4)], [reduce(2), step(2, newest)], {
    offers: null,
    putAside: 0,
  }),
  listed(
    "while the factor is in doubt a word on the item cancels no line",
    [metres(9), metres(8)],
    [push(5, 6), reduce(6, { scope: "item" }), step(1, { ...newest, line: 1 })],
    { offers: null },
  ),
  listed(
    "a cancelled order that is wanted again, line by line, gets no receipt of its own",
    [3],
    [cancelOrder, reduce(3), step(0, { ...all, ...newest })],
    { receipts: ["removed"], state: "ended" },
  ),
  listed("the same amount once more asks for nothing that was cut short", [4], [step(1), shortPick, reduce(4)], {
    followUps: [],
    state: "ended",
  }),
  listed(
    "pieces picked beyond the line count once, also under a new request id",
    [line(5), line(2, { item: 1 })],
    [step(0, { how: "too-many" }), push(4, 2), scanAgain(false), step(1, ignored)],
    { putAside: 3 },
  ),
  listed(
    "an offer with the last step counts as taken over, though more was wanted after it",
    [5],
    [step(4), reduce(1), step(0), push(7), wait],
    { followUps: [[3]], state: "ended" },
  ),
  listed(
    "a line that a later model does not list is not held, where it may have been fetched without it",
    [5, 4],
    [step(0), push(5, 0), scanAgain(false), step(0, all)],
    { state: "ended" },
  ),
  listed(
    "a line without an external id is not taken for one of the same item that has one",
    [line(8), line(9, unnamed)],
    [push(3, 9), step(0, { ...newest, line: 1 })],
    { offers: null },
  ),
  listed(
    "the put wall may hold a line that was cancelled before the first placement",
    [8, 4],
    [reduce(0, { line: 1 }), place(4), push(8, 4)],
    { followUps: [], receipts: [] },
  ),
  listed("goods picked by steps and sorted at the put wall are picked once", [5], [step(3), place(3)], {
    state: "running",
  }),
  listed(
    "an order that was begun although it was cancelled is found, with a warning",
    [7],
    [fetch, reduce(0), step(2)],
    {
      ...{ state: "running", isCalledOff: true, putAside: 2 },
    },
  ),
  listed("what the model of an unchanged order shows is kept", [8, 3], [step(1), push(5, 9)], { followUps: [[6]] }),
  listed(
    "a word on a line that nobody has does not hide that the order is cancelled",
    [9],
    [attach(), reduce(6, { scope: "unknown-line" }), reduce(0)],
    { isCalledOff: true },
  ),
  {
    ...listed("a factor in doubt is kept for no other order", [metres(4)], [], { offers: [2000] }),
    orders: [[metres(4)], [metres(5)]],
    commands: [
      ...[push(4), reduce(2), fetch, reduce(1), step(0, ignored)],
      ...[{ kind: "push-same", order: 1 } as const, secondOrder(1), reduce(2, { order: 1 }), secondOrder(0, ignored)],
    ],
  },
];
