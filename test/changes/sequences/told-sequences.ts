import type { Command } from "../play/commands.ts";
import {
  at,
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

const wait: Command = { kind: "wait", minutes: 180 };
const inFollowUp = (command: Command): Command => ({ ...command, member: 1 }) as Command;
const partial = { ...ignored, isPartial: true } as const;
const twoItems = [line(5), line(4, { item: 1 })];

/** Sequences in which the operator was told something wrong, or the ERP. */
export const toldSequences: readonly ListedSequence[] = [
  {
    ...listed(
      "a cancelled line cancels no order that was never pushed: of its other lines nothing was said",
      twoItems,
      [],
      {
        putAside: 0,
      },
    ),
    commands: [step(1), reduce(0), step(1, { line: 1, hasModel: false })],
  },
  listed(
    "while the factor is in doubt a part of a unit is scanned as a whole one",
    [metres(9)],
    [fetch, reduce(8), step(1, ignored), reduce(2.5)],
    { content: [3000] },
  ),
  listed(
    "a line that no answer lowered is not taken over by silence",
    [6, line(5, { item: 1 })],
    [step(2), push(4, 3), step(1, { line: 1, ...partial }), wait],
    { receipts: ["applied"] },
  ),
  listed(
    "what was offered is still out for lines that a later model does not list",
    [6, line(5, { item: 1 })],
    [step(2), push(4, 3), step(1, ignored), step(1, { line: 1, ...partial }), wait],
    { receipts: ["applied", "applied"] },
  ),
  listed(
    "… also where the later model has nothing to be lowered",
    [6, line(5, { item: 1 })],
    [step(2), push(4, 5), step(1, ignored), step(1, { line: 1, ...partial }), wait],
    { receipts: ["applied"] },
  ),
  listed(
    "a follow-up order that is being picked is scanned as it is wanted now",
    [2],
    [step(2), push(9), inFollowUp(step(1, ignored)), push(4)],
    { followUps: [[2]] },
  ),
  listed(
    "… and says that it is cancelled where nothing is left of it",
    [2],
    [step(2), push(9), inFollowUp(step(0, ignored)), push(2)],
    { followUps: [[]] },
  ),
  listed(
    "goods that are wanted are put aside in no order, though another one of them has nothing left",
    [5],
    [step(0), push(8), inFollowUp(step(3, ignored)), push(3)],
    { content: [], followUps: [[3]] },
  ),
  listed(
    "what is too much is put aside once: in the latest order that has it",
    [5, line(2, { item: 1 })],
    [step(4), push(8, 2), inFollowUp(step(2, ignored)), push(3, 2), inFollowUp(step(0, { hasModel: false }))],
    { putAside: 2 },
  ),
  listed(
    "… and what that one has not in the one before it",
    [5, line(2, { item: 1 })],
    [step(4), push(8, 2), inFollowUp(step(2, ignored)), push(3, 2), step(0, { hasModel: false })],
    { putAside: 1 },
  ),
  listed(
    "goods that somebody was told to put aside are not told again",
    [5],
    [step(4), push(2), step(0, { hasModel: false }), step(1, { hasModel: false })],
    { putAside: 1 },
  ),
  listed(
    "… nor with a step that brings nothing",
    [5, line(2, { item: 1 })],
    [step(4), push(2, 2), step(1), step(1, { line: 1 }), step(0, { how: "too-many" })],
    {
      putAside: 1,
    },
  ),
  listed("… nor at the put wall", [5, line(2, { item: 1 })], [place(4), push(2, 2), place(1), place(1)], {
    putAside: 1,
  }),
  listed(
    "an order that never changed and was fetched again tells what is picked twice",
    [5],
    [step(3), scanAgain(false), step(4, { hasModel: false })],
    { putAside: 2 },
  ),
  listed(
    "whoever is to put goods aside of a cancelled order is to stop all the same",
    [5, line(4, { item: 1 })],
    [step(2), cancelOrder, step(1, ignored)],
    { putAside: 3 },
  ),
  listed(
    "what a whole model has shown of an order that never changed stands, though a later one lists a part of it",
    [2, line(2, { item: 1 })],
    [step(0), step(0, partial), push(2, 3)],
    { followUps: [[1]], content: [2, 2] },
  ),
  listed(
    "a line that was lowered to what is picked of it is not called applied by a model that does not list it",
    [2, line(2, { item: 1 })],
    [step(0), push(1, 1), step(1, ignored), step(0, { line: 1, ...partial })],
    { receipts: [] },
  ),
  listed(
    "a model of an order that never changed says nothing of a line that a later step shows under a new id",
    [3, line(2, { item: 1 })],
    [step(0, { line: 1 }), scanAgain(false), step(1, { hasModel: false }), { kind: "short-pick", ...at, line: 0 }],
    { content: [1, 2] },
  ),
  listed(
    "… also with the step of another line of the item that is full by it",
    [2, 2],
    [step(0, { how: "all" }), scanAgain(false), step(1, { hasModel: false }), step(2, { line: 1 })],
    { putAside: 1 },
  ),
  listed(
    "what was told to be put aside of an order with a line in metres is not told again once it has changed",
    [line(2), metres(2)],
    [
      ...[step(0, { how: "too-many" }), scanAgain(false), step(0, { hasModel: false }), reduce(0), push(2, 2)],
      step(0, partial),
    ],
    { putAside: 0 },
  ),
  listed(
    "… nor are metres",
    [metres(2), line(2, { item: 1 })],
    [
      ...[step(0, { how: "all", hasModel: false }), scanAgain(false), step(0, { how: "all" }), scanAgain(false)],
      ...[reduce(0), step(0, { how: "all" })],
    ],
    { putAside: 4000 },
  ),
];
