import type { Command } from "../play/commands.ts";
import {
  all,
  fetch,
  type ListedSequence,
  line,
  listed,
  metres,
  place,
  push,
  reduce,
  scanAgain,
  step,
} from "./listed-sequences.ts";

const unnamed = { hasExternalId: false } as const;
const newest = { isStale: false } as const;
const byItem = { scope: "item" } as const;
const wait = { kind: "wait", minutes: 180 } as const;
const twoItems = [line(2), line(2, { item: 1 })];
const shortPick = (line: number): Command => ({ kind: "short-pick", order: 0, member: 0, line });
const twins = [line(2, unnamed), line(2, unnamed)];

/** Sequences that came up once in a hundred thousand, most of them with right amounts and a receipt that told something else. */
export const receiptSequences: readonly ListedSequence[] = [
  // The model alone has such lines as one: how they end shows in the comparison only.
  listed(
    "all that was ever shown of lines that nothing tells apart is picked, one of them after the order was fetched again",
    twins,
    [step(0, { ...newest, ...all }), push(0, 2), scanAgain(false), reduce(0, byItem), step(0, { ...newest, ...all })],
    { state: "ended" },
  ),
  listed(
    "… also where the one that was picked is shown with more, and the other one no longer",
    [line(2, unnamed), line(3, unnamed)],
    [step(2, newest), push(0, 3), scanAgain(false), reduce(0, byItem), step(0, { ...newest, ...all })],
    { state: "ended" },
  ),
  listed(
    "… and what the floor gave up of one of them is not cut short if the other one is shown with as much more",
    [...twins, line(1, { item: 1 })],
    [step(2, newest), shortPick(1), push(2, 2, 2), scanAgain(false), step(0, newest)],
    { state: "running" },
  ),
  {
    ...listed(
      "a line that only a waiting follow-up had is not called removed at once: that one may have been fetched",
      twoItems,
      [],
      { receipts: [], followUps: [[1]], state: "ended" },
    ),
    commands: [push(1, 0), place(1), push(1, 1), push(2, 0)],
  },
  {
    ...listed("… but when nobody has begun the follow-up for an hour", twoItems, [], {
      ...{ receipts: ["removed"], followUps: [[1]], state: "ended" },
    }),
    commands: [push(1, 0), place(1), push(1, 1), push(2, 0), wait],
  },
  {
    ...listed("… also where the order itself was picked by steps", twoItems, [], {
      ...{ receipts: [], followUps: [[1]], state: "ended" },
    }),
    commands: [push(1, 0), step(0, { ...newest, ...all }), push(1, 1), push(2, 0)],
  },
  listed(
    "a line without a lot is gone from an order fetched again, and another line of the item with a lot has its amount now",
    [line(3, unnamed), line(4, { ...unnamed, lot: 1 })],
    [step(0, newest), push(0, 3), scanAgain(false), step(0, newest)],
    { receipts: ["applied", "applied"], offers: null },
  ),
  listed(
    "… the same with the lot on the line that is gone",
    [line(3, { ...unnamed, lot: 1 }), line(4, unnamed)],
    [step(0, newest), push(0, 3), scanAgain(false), step(0, newest)],
    { receipts: ["applied", "applied"], offers: null },
  ),
  listed(
    "… and both lines stay, with their amounts exchanged",
    [line(3, unnamed), line(4, { ...unnamed, lot: 1 })],
    [step(2, newest), push(4, 3), scanAgain(false), step(0, newest)],
    { followUps: [[]], state: "running" },
  ),
  listed(
    "… and a step of the one with the lot begins an order that was fetched before they were exchanged",
    [line(5, unnamed), line(3, { ...unnamed, lot: 1 })],
    [fetch, push(3, 5), step(1, { line: 1 })],
    { offers: [3, -1], followUps: [[2]] },
  ),
  listed(
    "lines share an amount in the order they had when it came, also if a push that changes none of them lists them otherwise",
    [line(3, unnamed), line(2, { ...unnamed, lot: 1 })],
    [step(3, newest), push(0, 2), scanAgain(false), reduce(3, byItem), push(3, 0), step(1, newest)],
    { content: [2, 1], putAside: 1 },
  ),
  listed(
    "a line in metres is lowered to a part of a metre, and a receipt says so",
    [metres(4)],
    [step(0, newest), reduce(2.5, byItem), step(1, newest), step(0, { ...newest, ...all })],
    { receipts: ["applied"], state: "ended" },
  ),
  listed(
    "goods at the put wall are for a line that was given up and raised since, before they are for one that is given up",
    [2, line(2, { item: 1 }), 2],
    [place(1), { kind: "cancel-wall", order: 0, member: 0, line: 0 }, reduce(3), place(1)],
    { followUps: [[1]], state: "running" },
  ),
  listed(
    "silence after an offer brings nothing back of a line that the floor has given up since",
    [7, line(2, { item: 1 })],
    [step(0, newest), reduce(1), step(0, newest), shortPick(0), wait, push(2, 2)],
    { followUps: [[2]], content: [2] },
  ),
  listed(
    "of two lines of an item with different lots that a push lowers alike, only the one without a newer change has a receipt",
    [line(2, { ...unnamed, lot: 1 }), line(2, unnamed)],
    [push(1, 1), push(2, 1), step(0, newest)],
    { receipts: ["removed"], state: "running" },
  ),
];
