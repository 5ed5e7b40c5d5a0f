import { type ListedSequence, line, listed, reduce, step } from "./listed-sequences.ts";

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
];
