import type { Command } from "../play/commands.ts";
import { ignored, type ListedSequence, line, listed, place, push, reduce, step } from "./listed-sequences.ts";

const pushFollowUp = (...amounts: number[]): Command => ({ kind: "push-follow-up", order: 0, member: 1, amounts });
const ofFollowUp = { member: 1 } as const;
const inFollowUp = (command: Command): Command => ({ ...command, member: 1 }) as Command;
const other = (amount: number) => line(amount, { item: 1 });
const abandon: Command = { kind: "status", order: 0, member: 0, status: 5 };

/** A follow-up order that the external system pushes, lowers or cancels under its own number. */
export const followUpSequences: readonly ListedSequence[] = [
  listed(
    "a follow-up pushed with less has less, and the order keeps its own",
    [5],
    [step(1), push(9), pushFollowUp(2)],
    {
      followUps: [[2]],
      content: [5],
    },
  ),
  listed("… with more has more", [5], [step(1), push(9), pushFollowUp(6)], { followUps: [[6]], content: [5] }),
  listed("… by line, where two lines are of one item", [5, 4], [step(1), push(8, 6), pushFollowUp(3, 1)], {
    followUps: [[3, 1]],
    content: [5, 4],
  }),
  listed(
    "… and one without an id beside one with",
    [line(5), line(4, { hasExternalId: false })],
    [step(1), push(8, 6), pushFollowUp(1, 2)],
    { followUps: [[1, 2]], content: [5, 4] },
  ),
  listed("… with a line left out has none of it", [5, other(4)], [step(1), push(8, 6), pushFollowUp(3, 0)], {
    followUps: [[3]],
    content: [5, 4],
  }),
  listed("… with a line that it did not have", [5, other(4)], [step(1), push(8, 4), pushFollowUp(3, 2)], {
    followUps: [[3, 2]],
    content: [5, 4],
  }),
  listed("… that the order has no more", [5, other(4)], [step(1), push(8, 0), pushFollowUp(3, 2)], {
    followUps: [[3]],
    content: [5, 2],
  }),
  listed(
    "the same again asks for nothing that the floor cut short in the order",
    [5, other(4)],
    [step(1), push(8, 4), { kind: "short-pick", order: 0, member: 0, line: 0 }, pushFollowUp(3, 0)],
    { followUps: [[3]], content: [1, 4] },
  ),
  listed(
    "… nor does another amount of the follow-up",
    [5, other(4)],
    [step(1), push(8, 4), { kind: "short-pick", order: 0, member: 0, line: 0 }, pushFollowUp(4, 0)],
    { followUps: [[4]], content: [1, 4] },
  ),
  listed(
    "a follow-up that is being picked is lowered under its own number",
    [5],
    [...[step(1), push(9), inFollowUp(step(1, ignored)), pushFollowUp(3), inFollowUp(step(0, ignored))]],
    { offers: [3], content: [5] },
  ),
  listed(
    "a change of a line that a follow-up never had is told as removed",
    [5, other(4)],
    [...[step(1), push(8, 4), reduce(0, { ...ofFollowUp, line: 1 })]],
    { receipts: ["removed"], followUps: [[3]], content: [5, 4] },
  ),
  listed(
    "… and so is one on a line that nobody knows",
    [5],
    [...[step(1), push(8), reduce(2, { ...ofFollowUp, scope: "unknown-line" })]],
    { receipts: ["removed"], followUps: [[3]], content: [5] },
  ),
  listed(
    "a change of an item of a follow-up is for all lines of the item together",
    [5, 4],
    [...[step(1), push(8, 6), reduce(4, { ...ofFollowUp, scope: "item" })]],
    { followUps: [[3, 1]], content: [5, 4] },
  ),
  listed(
    "… and a whole follow-up is cancelled with all of them, whether they have ids or lots",
    [...[line(5, { hasExternalId: false }), line(4, { hasExternalId: false, lot: 1 }), line(3)]],
    [step(1), push(7, 6, 5), reduce(0, { ...ofFollowUp, scope: "order" })],
    { followUps: [[]], content: [5, 4, 3] },
  ),
  listed(
    "… also where the last of them is named by its item only",
    [line(5), line(4, { hasExternalId: false })],
    [step(1), push(7, 6), reduce(0, { ...ofFollowUp, scope: "order" })],
    { followUps: [[]], content: [5, 4] },
  ),
  listed(
    "a follow-up withdrawn since the order itself waits again has nothing that could be cancelled",
    [2, other(2)],
    [step(0), push(3, 2), abandon, reduce(0, { ...ofFollowUp, scope: "order" })],
    { followUps: [[]], content: [3, 2], state: "waiting" },
  ),
  listed(
    "a line that a follow-up's push leaves nothing of comes last, as one that a push of the order leaves out",
    [2, 2],
    [push(1, 0), step(1), push(0, 1), pushFollowUp(1, 0), reduce(2, { scope: "item" })],
    { followUps: [[1]], content: [1] },
  ),
  listed(
    // Who gives what is too much is left open, while the put wall may be done with the follow-up or not.
    "what is too much is told where it is picked, also beside a follow-up that lies at the put wall",
    [5],
    [step(3), push(7), push(6), inFollowUp(place(1)), reduce(0, ofFollowUp), step(2, ignored)],
    { state: "ended" },
  ),
  {
    ...listed("a line that only the platform has told of is followed up by nothing", [2, 2], [], { followUps: [] }),
    commands: [step(0, { hasModel: false }), push(1, 0), step(0, { isStale: false }), pushFollowUp(1, 1)],
  },
];
