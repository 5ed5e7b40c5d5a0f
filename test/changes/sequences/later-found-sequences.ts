import type { Command } from "../play/commands.ts";
import {
  all,
  at,
  attach,
  cancelOrder,
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

const shortPick: Command = { kind: "short-pick", ...at, line: 0 };
const abandon: Command = { kind: "status", ...at, status: 5 };
const complete: Command = { kind: "status", ...at, status: 3 };
const attachFollowUp: Command = { kind: "attach", order: 0, member: 1, container: 0 };
const pushFollowUp = (...amounts: number[]): Command => ({ kind: "push-follow-up", ...at, amounts });
const pushAgain: Command = { kind: "push-same", order: 0 };
const wait: Command = { kind: "wait", minutes: 90 };
const newest = { isStale: false } as const;
const tooMany = { how: "too-many" } as const;
const withoutModel = { hasModel: false } as const;

/** Sequences of other seeds that came up once in ten thousands, made small. */
export const laterFoundSequences: readonly ListedSequence[] = [
  listed(
    "a scan of a follow-up does not call an order cancelled that was pushed again, though its content is the same",
    [2],
    [step(0), push(3), attachFollowUp, step(0, all), cancelOrder, pushAgain],
    { state: "ended", followUps: [[1]] },
  ),
  listed(
    "… nor does a scan of the order itself, where the cancellation had its receipt before",
    [2],
    [fetch, cancelOrder, wait, step(0, withoutModel), pushAgain],
    { content: [2], isCalledOff: false },
  ),
  listed(
    "an order that is begun and given back twice is available again each time",
    [2],
    [step(0, newest), abandon, step(0, newest), abandon],
    { state: "waiting", content: [2] },
  ),
  listed(
    "an order that was fetched again and completed has ended, though a model had shown its lines under new ids",
    [2, line(2, { item: 1 })],
    [step(0, { line: 1 }), scanAgain(false), step(0, all), complete, reduce(0, { line: 1 })],
    { state: "ended", receipts: ["applied|removed"] },
  ),
  listed(
    "a push under the number of a follow-up that nothing is left of asks for it again, also with the amount it had",
    [2],
    [step(0, withoutModel), reduce(3), attachFollowUp, reduce(0), step(0), pushFollowUp(1)],
    { content: [1], isCalledOff: false },
  ),
  listed(
    "goods that come after all, beyond what was fetched again of a line that was given up, were not cut short",
    [7, line(2, { item: 1 })],
    [step(1), shortPick, scanAgain(false), step(0, { ...tooMany, ...withoutModel })],
    { content: [3, 2] },
  ),
  {
    ...listed("a line that was given up before the order was pushed is followed up, and a scan says so", [], [], {
      followUps: [[1]],
      isCalledOff: true,
    }),
    orders: [[line(2), line(2, { item: 1 })]],
    commands: [step(0), shortPick, push(1, 0)],
  },
  listed(
    "an order at the put wall has ended once all that it was to bring lies there, though it was served with more before",
    [2],
    [reduce(1), place(1), reduce(6)],
    { state: "ended", followUps: [[5]] },
  ),
  listed("… and not before, though no more than that is wanted", [2], [place(1), reduce(1)], { state: "running" }),
  listed(
    "… with what was wanted of it again meanwhile",
    [3],
    [reduce(1), attach(), reduce(2), place(1), reduce(3), place(1), reduce(2)],
    { state: "running" },
  ),
  listed(
    "goods at the put wall that no line wants are first what the wall was still to bring, whatever the order of the lines",
    [2, 2],
    [push(1, 4), place(2), push(0, 1), place(3)],
    { state: "ended" },
  ),
  listed(
    "pieces at the put wall count for another line of the item, also where the order has ended",
    [2, 2],
    [place(1), push(0, 1), place(4), reduce(3)],
    { state: "ended", followUps: [] },
  ),
  listed(
    "… and what counts for a line that was given up was not cut short",
    [2, 2],
    [place(1), push(3, 3), complete, reduce(0)],
    { state: "ended", followUps: [[1]] },
  ),
  listed(
    "an item that is raised is raised in a line that is wanted, and not in one that the latest push left out",
    [3, 2],
    [push(3, 0), reduce(5, { scope: "item" })],
    { content: [5] },
  ),
  listed(
    "… nor in one that was cancelled, and where nothing is wanted, in the last one of the latest push",
    [3, 2, 4],
    [push(3, 2, 0), reduce(0, { line: 1 }), reduce(0), reduce(5, { scope: "item" })],
    { content: [5] },
  ),
  {
    ...listed("a unit in doubt is certain with the next step of its line, once other orders have shown it", [], [], {
      offers: [2000],
    }),
    orders: [[metres(2)], [metres(1), metres(4)]],
    commands: [
      ...[pushAgain, { kind: "push-same", order: 1 } as const, reduce(3), fetch, step(0)],
      ...[{ ...step(0), order: 1 } as Command, { ...step(0, { line: 1 }), order: 1 } as Command, reduce(2), step(0)],
    ],
  },
];
