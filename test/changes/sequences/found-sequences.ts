import type { Command } from "../play/commands.ts";
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
const cancelWall = (at: number): Command => ({ kind: "cancel-wall", order: 0, member: 0, line: at });
const wait: Command = { kind: "wait", minutes: 180 };
const beginFollowUp: Command = { kind: "attach", order: 0, member: 1, container: 1 };
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
    "while the factor is in doubt a change of the item cancels no line",
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
    "a change of a line that nobody has does not hide that the order is cancelled",
    [9],
    [attach(), reduce(6, { scope: "unknown-line" }), reduce(0)],
    { isCalledOff: true },
  ),
  listed(
    "while the factor of one line is in doubt, nobody is told of too much on another line of the item",
    [metres(3), metres(4)],
    [reduce(1), step(0, { ...all, ...newest }), push(1, 1), step(2, { ...newest, line: 1 })],
    { putAside: 0, offers: [-1, 2000] },
  ),
  listed(
    "a line that the put wall has given up is not in its order any more, also where nothing was wanted of it then",
    [line(2), line(2, { item: 1 })],
    [push(5, 0), place(1), cancelWall(1), push(5, 1)],
    { followUps: [[1]], content: [5] },
  ),
  listed(
    "a follow-up that is rounded up leaves so much less for the order",
    [metres(2)],
    [step(0, { how: "half" }), push(5), scanAgain(false), step(0, { how: "half", hasModel: false })],
    { followUps: [[3000]], content: [2000] },
  ),
  listed(
    "a single step is no retry of a cart step with the same amounts",
    [line(2), line(2, { item: 1 })],
    [step(0, all), step(1, { how: "too-many", isCart: true }), step(1, { how: "too-many" })],
    { state: "running" },
  ),
  listed(
    "an order that never changed is scanned without what the floor cut short",
    [line(8), line(2, { item: 1 })],
    [step(1), shortPick],
    { content: [1, 2], state: "running" },
  ),
  listed(
    "… also where its lines were pushed in another order",
    [line(8, unnamed), line(2, unnamed)],
    [step(0), push(2, 8), shortPick],
    { followUps: [] },
  ),
  listed(
    "what is given up twice over is cut short once, and no more than is wanted",
    [line(2), line(2, { item: 1 })],
    [step(1), scanAgain(false), step(0), shortPick],
    { content: [1, 2], state: "running" },
  ),
  listed(
    "what was given up and is fetched again is not cut short",
    [line(4), line(2, { item: 1 })],
    [step(1), shortPick, scanAgain(false), step(1)],
    { content: [2, 2], state: "running" },
  ),
  listed(
    "… also where nothing of it is picked with the step that shows it",
    [line(4), line(2, { item: 1 })],
    [step(1), shortPick, scanAgain(false), step(0)],
    { content: [2, 2], state: "running" },
  ),
  listed(
    "… nor is it taken away again from an order that changed",
    [line(4), line(2, { item: 1 })],
    [step(1), push(4, 1), shortPick, scanAgain(false), step(0)],
    { content: [2, 1], offers: null },
  ),
  listed(
    "the put wall fills the lines of an item that want something before one that was cancelled",
    [line(2), line(2, { lot: 1 }), line(1, { item: 1 })],
    [reduce(0), place(2), push(2, 2, 1)],
    { content: [2, 2, 1], state: "running" },
  ),
  listed(
    "… and also what was raised again since it began",
    [line(2), line(2, { lot: 1 })],
    [reduce(1), place(1), reduce(2), place(3)],
    { state: "ended" },
  ),
  listed(
    "what the floor cut short is pushed as not wanted, and that is a change",
    [line(8), line(2, { item: 1 })],
    [step(1, { line: 1 }), step(0), shortPick, push(0, 2), push(8, 2)],
    { followUps: [[8]], content: [2] },
  ),
  listed(
    "of lines that nothing tells apart the earlier ones in the model keep first, whichever is picked first",
    [line(7, unnamed), line(7, unnamed)],
    [step(0, { line: 1 }), reduce(1, { scope: "item" }), step(0, ignored)],
    { followUps: [] },
  ),
  listed(
    "pieces beyond one of two lines that nothing tells apart leave the other one its amount",
    [line(2, unnamed), line(2, unnamed)],
    [step(2, { how: "too-many" }), push(1, 1), push(2, 3)],
    { followUps: [] },
  ),
  listed(
    "goods that the put wall had given up and that came after all were not cut short",
    [line(2), line(2, { item: 1 })],
    [place(1), push(3, 1), cancelWall(0), place(1)],
    { followUps: [[1]], content: [2, 1] },
  ),
  listed(
    "… nor where less was wanted than the wall had",
    [line(5), line(2, { item: 1 })],
    [place(1), push(3, 2), cancelWall(0), place(1)],
    { followUps: [], content: [2, 2] },
  ),
  listed(
    "two lines in metres that nothing tells apart show their factor together",
    [line(2, { ...unnamed, item: 2 }), line(3, { ...unnamed, item: 2 })],
    [step(0, all), cancelOrder, push(1, 5)],
    { followUps: [[1000]], content: [5000] },
  ),
  listed(
    "… whichever of them is picked first",
    [line(2, { ...unnamed, item: 2 }), line(3, { ...unnamed, item: 2 })],
    [step(1, { line: 1 }), push(1, 1), step(1, { line: 1, ...ignored })],
    { followUps: [], putAside: 0 },
  ),
  listed(
    "the put wall has no more of two lines that nothing tells apart than one content had of both",
    [line(2, unnamed), line(2, unnamed)],
    [reduce(5, { scope: "item" }), push(2, 2), place(1), push(4, 2)],
    { followUps: [[1]], content: [5] },
  ),
  {
    ...listed("a factor in doubt is kept for no other order", [metres(4)], [], { offers: [2000] }),
    orders: [[metres(4)], [metres(5)]],
    commands: [
      ...[push(4), reduce(2), fetch, reduce(1), step(0, ignored)],
      ...[{ kind: "push-same", order: 1 } as const, secondOrder(1), reduce(2, { order: 1 }), secondOrder(0, ignored)],
    ],
  },
  listed(
    // The model alone has them as one line: which of them keeps it shows in the comparison only.
    "of two lines that nothing tells apart the earlier one keeps what is wanted, whichever is worked on first",
    [line(6, unnamed), line(2, unnamed)],
    [fetch, reduce(1), step(0, { line: 1 })],
    { offers: [1] },
  ),
  listed(
    "… also where something of the later one is picked",
    [line(6, unnamed), line(2, unnamed)],
    [fetch, reduce(3), step(1, { line: 1, ...ignored }), step(0, { line: 1, ...ignored })],
    { offers: [3] },
  ),
];
