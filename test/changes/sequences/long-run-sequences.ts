import type { Command } from "../play/commands.ts";
import {
  all,
  at,
  attach,
  cancelOrder,
  fetch,
  ignored,
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

const shortPick: Command = { kind: "short-pick", ...at, line: 0 };
const abandon: Command = { kind: "status", ...at, status: 5 };
const inFollowUp = (command: Command): Command => ({ ...command, member: 1 }) as Command;
const unnamed = { hasExternalId: false } as const;
const newest = { isStale: false } as const;
const byItem = { scope: "item" } as const;

const wait: Command = { kind: "wait", minutes: 180 };
const twoItems = [line(5), line(2, { item: 1 })];

/** Sequences that came up once in ten thousands, made small. */
export const longRunSequences: readonly ListedSequence[] = [
  listed(
    "a line is kept that was fetched alone, and has a twin in the order as it is now",
    [line(4, unnamed), line(1, unnamed)],
    [reduce(1, byItem), fetch, reduce(5, byItem), step(0, newest)],
    { offers: null, followUps: [[4]], content: [1] },
  ),
  listed(
    "… also where it is picked at once",
    [line(4, unnamed), line(1, unnamed)],
    [reduce(1, byItem), fetch, reduce(5, byItem), step(0, { ...newest, ...all })],
    { offers: null, followUps: [[4]], state: "ended" },
  ),
  listed(
    "goods at the put wall are for a line that is short of them, before they are too much",
    [2, 2],
    [reduce(0), place(1), push(1, 3), place(4)],
    { followUps: [[]], putAside: 1 },
  ),
  listed(
    "… also at the wall of a follow-up, whichever order was to bring them",
    [2, 2],
    [step(0), reduce(4), push(3, 3), inFollowUp(place(5))],
    { content: [1], putAside: 0 },
  ),
  listed(
    // The model alone has them as one line: what is left of the other shows in the comparison only.
    "of two lines in metres that nothing tells apart one is given up, and the other keeps its factor",
    [line(5, { ...unnamed, item: 2 }), line(8, { item: 2 }), line(3, { ...unnamed, item: 2 })],
    [step(0), shortPick, push(1, 1, 3)],
    { state: "running" },
  ),
  listed(
    "a line that was given up stays given up when the order is given back with nothing picked",
    [2, line(2, { item: 1 })],
    [step(0), shortPick, abandon],
    { content: [2], state: "waiting" },
  ),
  listed(
    "… also where the same order is pushed again",
    [2, line(2, { item: 1 })],
    [step(0), shortPick, abandon, push(2, 2), fetch, step(0, newest)],
    { content: [2], offers: null, followUps: [] },
  ),
  listed(
    "… and is asked for again by a new change",
    [2, line(2, { item: 1 })],
    [step(0), shortPick, abandon, push(3, 2)],
    { content: [3, 2], state: "waiting" },
  ),
  listed(
    "… also by one that says what was wanted before",
    [2, line(2, { item: 1 })],
    [step(0), shortPick, abandon, cancelOrder, push(2, 2)],
    { content: [2, 2], state: "waiting" },
  ),
  listed(
    "… and a platform that fetched it before that is told to leave it out",
    [2, line(2, { item: 1 })],
    [fetch, step(0), shortPick, abandon, push(2, 3), step(0, { line: 1, ...ignored })],
    { offers: [0, -1], followUps: [[1]] },
  ),
  listed(
    "goods at the put wall that one line has too many of are for another line of the item that is short of them",
    [2, line(2, { item: 1 }), 2],
    [push(1, 1, 1), place(3), push(1, 1, 0), push(1, 1, 3), place(1)],
    { followUps: [[]], content: [1, 1, 3], putAside: 0 },
  ),
  listed("… as soon as a change makes them so", [2, line(2, { item: 1 }), 2], [place(3), push(1, 2, 3)], {
    followUps: [[1]],
    content: [1, 2, 2],
  }),
  listed(
    "what is too much at the wall of a follow-up goes to the lines that the wall may have been asked for, in their order",
    [2, line(2, { lot: 1 })],
    [step(0, { how: "too-many" }), push(1, 3), reduce(5), reduce(4, byItem), inFollowUp(place(3))],
    { putAside: 2, content: [2] },
  ),
  listed(
    "of two lines that nothing tells apart one is given up, and the other brings what is still wanted",
    [2, line(2, unnamed), line(2, unnamed)],
    [step(1), push(2, 1, 1), { ...shortPick, line: 2 }],
    { state: "running" },
  ),
  listed(
    "… whichever of them it is",
    [2, line(2, unnamed), line(2, unnamed)],
    [step(1), push(2, 1, 1), { ...shortPick, line: 1 }, step(0, ignored)],
    { state: "running" },
  ),
  listed(
    "… and what neither of them brings is cut short",
    [2, line(2, unnamed), line(2, unnamed)],
    [step(1), push(2, 1, 2), { ...shortPick, line: 2 }],
    { state: "running" },
  ),
  listed(
    "two steps beyond a line that has nothing left are two where they show another model",
    [2, line(2, { item: 1 })],
    [step(2), step(0, { how: "too-many", hasModel: false }), step(0, { how: "too-many" })],
    { state: "running" },
  ),
  listed(
    "a change below what is picked is too late, where the external system had come to want it",
    twoItems,
    [step(0, { how: "too-many" }), push(6, 2), push(5, 2)],
    { receipts: ["too-late"] },
  ),
  listed(
    "the content of an order that has ended was never served, and no change lowers it",
    [metres(2)],
    [reduce(1), push(2), step(0, { ...all, ...newest }), push(7), push(2)],
    { receipts: [], state: "ended" },
  ),
  listed(
    // The model alone has them as one line.
    "of lines that nothing tells apart no more is lowered than both had at one time",
    [line(2, unnamed), line(2, unnamed)],
    [step(0, all), reduce(1, byItem), scanAgain(false), step(0), push(2, 2)],
    { state: "ended" },
  ),
  {
    ...listed("the first push of an order that the floor has already says all that is wanted of it", twoItems, [], {
      ...{ offers: [1, 0], state: "running" },
    }),
    commands: [step(0), push(1, 0), step(0, ignored)],
  },
  {
    ...listed("… also of a line of the same item", [2, line(2, { lot: 1 })], [], { putAside: 4 }),
    commands: [step(0), push(0, 1), step(0, { ...all, ...ignored })],
  },
  {
    ...listed("… and a line that it names and nobody has shown may be there", twoItems, [], {
      ...{ followUps: [[1]], state: "running" },
    }),
    commands: [step(0, { hasModel: false }), shortPick, push(1, 1)],
  },
  {
    ...listed(
      "… and what the floor gave up is asked for again by a change that it did not have, and by no other",
      [5],
      [],
      {
        ...{ followUps: [[3]], state: "ended" },
      },
    ),
    commands: [step(0), reduce(8), shortPick, push(8)],
  },
  {
    ...listed("… until a model shows that it is not", twoItems, [], {
      ...{ followUps: [[2]], content: [3], offers: [3], state: "running" },
    }),
    commands: [step(0, newest), push(3, 2), step(0, ignored)],
  },
  listed(
    "a cancelled order that is wanted again has no receipt of its cancellation, whatever was said of a line that nobody has",
    [3],
    [reduce(0, { scope: "unknown-line" }), cancelOrder, push(3), step(0, { ...all, ...newest })],
    { receipts: [], state: "ended" },
  ),
  {
    ...listed(
      "a line added after the order was begun may be fetched with it until a step shows that it was not",
      twoItems,
      [],
      {
        ...{ followUps: [], content: [5, 2], state: "running" },
      },
    ),
    commands: [push(5, 0), { kind: "attach", ...at, container: 0 }, push(5, 2)],
  },
  {
    ...listed("… and is followed up where one had shown the order before", twoItems, [], {
      ...{ followUps: [[2]], content: [5], state: "running" },
    }),
    commands: [step(0, newest), push(5, 0), step(0), push(5, 2)],
  },
  listed(
    "an amount for several lines is reached where the platform has no more of them together",
    [4, 5],
    [reduce(5), step(0), { ...shortPick, line: 1 }, push(4, 5), reduce(9, byItem)],
    { receipts: ["removed", "applied|removed"], state: "running" },
  ),
  listed(
    "… also where one of them was given up, and the other is to be cancelled",
    [5, line(2, { item: 1 }), line(2, unnamed)],
    [step(0, { line: 1, ...all }), reduce(2, { line: 2, ...byItem }), shortPick],
    { receipts: ["applied"], state: "running" },
  ),
  listed(
    "what the platform showed of an order that it gave back says nothing of the next time it has it",
    [2],
    [step(0), abandon, reduce(1, byItem), step(0, newest)],
    { receipts: ["removed"], state: "running" },
  ),
  listed("… nor does it hold less of it", [2], [step(0), abandon, push(5), attach(), step(0, newest)], {
    ...{ followUps: [], content: [5], offers: null, state: "running" },
  }),
  {
    ...listed(
      "a line that only a waiting follow-up had is called removed, whoever picks the order itself",
      twoItems,
      [],
      {
        ...{ receipts: ["removed"], state: "running" },
      },
    ),
    commands: [push(5, 0), step(1), push(5, 2), reduce(0, { line: 1 }), wait],
  },
  {
    ...listed("… also where the order itself was cancelled, and nobody takes that over", twoItems, [], {
      ...{ receipts: ["removed"], state: "running" },
    }),
    commands: [push(5, 0), step(1), cancelOrder, push(0, 2), reduce(0, { line: 1 }), wait],
  },
  listed(
    "silence after a step without a model takes over what was offered for the other lines",
    twoItems,
    [step(0), push(1, 1), step(0, newest), step(0, { ...newest, ...all, hasModel: false }), wait],
    { receipts: ["applied", "applied"], state: "running" },
  ),
];
