import { fetch, ignored, type ListedSequence, line, listed, metres, reduce, step } from "./listed-sequences.ts";

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
];
