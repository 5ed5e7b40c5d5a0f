import type { Command } from "../play/commands.ts";
import {
  all,
  at,
  fetch,
  ignored,
  type ListedSequence,
  line,
  listed,
  place,
  push,
  reduce,
  scanAgain,
  step,
} from "./listed-sequences.ts";

const unnamed = { hasExternalId: false } as const;
const newest = { isStale: false } as const;
const lots = [line(2, unnamed), line(2, { ...unnamed, lot: 1 })];
const twins = [line(2, unnamed), line(2, unnamed)];
const metreTwins = twins.map((one) => ({ ...one, item: 2 }));
const other = (amount: number) => line(amount, { item: 1 });
const byItem = { scope: "item" } as const;
const placeOther = (amount: number): Command => ({ ...at, kind: "place", line: 1, amount });
const cancelWall: Command = { kind: "cancel-wall", ...at, line: 0 };

/** Which line of the order it is that the platform shows without an external id or a lot, or that goods at the put wall are for. The model alone has twins as one line. */
export const shownLineSequences: readonly ListedSequence[] = [
  listed(
    "two lines that nothing tells apart and that a push left out are not taken for another line of the item",
    [...twins, 2],
    [fetch, push(0, 0, 1), step(0, { ...newest, ...all, ...ignored })],
    { offers: [-1, 1], followUps: [] },
  ),
  listed(
    "… also where nothing of them is picked",
    [...twins, 2],
    [fetch, push(0, 0, 1), step(0, { ...newest, ...ignored })],
    { offers: [0, 1], followUps: [] },
  ),
  listed(
    "… nor where one of the two stays",
    [...twins, 2],
    [fetch, push(2, 0, 1), step(0, { ...newest, ...ignored })],
    {
      ...{ offers: [2, 1], followUps: [] },
    },
  ),
  listed(
    "… nor where the step is of the line that stays",
    [...twins, 2],
    [fetch, push(0, 0, 1), step(1, { ...newest, line: 2, ...ignored })],
    { followUps: [], state: "running" },
  ),
  listed(
    "… nor for a line of the item that has a lot",
    [...twins, line(2, { ...unnamed, lot: 1 })],
    [fetch, push(0, 0, 1), step(0, { ...newest, ...ignored })],
    { offers: [0, 1], followUps: [] },
  ),
  listed(
    "… nor where that line was raised",
    [...twins, 2],
    [fetch, push(0, 0, 5), step(0, { ...newest, ...ignored })],
    { offers: [0, -1], followUps: [[3]] },
  ),
  {
    ...listed(
      "a line is not taken for one with a lot that was added with the amount it had when it was fetched",
      lots,
      [],
      {
        ...{ offers: null, followUps: [[1, 2]], content: [2] },
      },
    ),
    commands: [push(2, 0), fetch, push(3, 2), step(0, newest)],
  },
  {
    ...listed("… also where a step without a model shows it", lots, [], { followUps: [[1, 2]], state: "running" }),
    commands: [push(2, 0), fetch, push(3, 2), step(0, { ...newest, hasModel: false })],
  },
  {
    ...listed("… also where it was lowered", lots, [], { offers: [1], followUps: [[2]], content: [1] }),
    commands: [push(2, 0), fetch, push(1, 2), step(0, { ...newest, ...ignored })],
  },
  {
    ...listed("… also where it was changed twice since", lots, [], { followUps: [[3, 2]], content: [2] }),
    commands: [push(2, 0), fetch, push(3, 0), push(5, 2), step(0, newest)],
  },
  {
    ...listed(
      "… also in metres",
      lots.map((one) => ({ ...one, item: 2 })),
      [],
      { state: "running" },
    ),
    commands: [push(2, 0), fetch, push(3, 2), step(0, newest)],
  },
  listed(
    "of lines that were fetched again the lot tells which is which, whatever their amounts have become since",
    [line(2, { ...unnamed, lot: 1 }), line(4, unnamed)],
    [step(0, newest), scanAgain(false), push(1, 2), step(0, { ...newest, ...ignored })],
    { offers: [1, 2], followUps: [], content: [1, 2] },
  ),
  listed(
    "the put wall fills each of two lines that nothing tells apart, and what is wanted beyond both is followed up",
    [...metreTwins, other(2)],
    [reduce(3), fetch, place(3), reduce(5, byItem)],
    { followUps: [[1000]], content: [4000, 2], state: "running" },
  ),
  listed("… also in pieces", [...twins, other(2)], [reduce(3), fetch, place(3), reduce(5, byItem)], {
    ...{ followUps: [[1]], content: [4, 2], state: "running" },
  }),
  listed("… also where a push raises them", [...twins, other(1)], [push(2, 2, 2), place(3), push(3, 3, 2)], {
    ...{ followUps: [[2]], content: [4, 2], state: "running" },
  }),
  listed("… and the order ends once both have all", [...twins, other(1)], [push(2, 2, 2), place(4), placeOther(2)], {
    ...{ followUps: [], state: "ended" },
  }),
  listed(
    "… and goods that came after all are for what was given up of them",
    [...twins, other(1)],
    [...[push(2, 2, 2), place(1), cancelWall, push(3, 2, 2), place(4)]],
    { state: "running" },
  ),
];
