import { type Step, shown } from "../run.ts";
import type { StepNeeds } from "./step-needs.ts";

/** Steps that work on a text; other values go by untouched, and the contract's kind is seen to at the end. */
const onText =
  (change: (text: string) => string): Step =>
  (value) => {
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
    if (typeof text !== "string") return value;
    const changed = change(text);
    return changed === "" ? undefined : changed;
  };

type Compile = (option: unknown, needs: StepNeeds) => Step;

const wantsTrue =
  (change: (text: string) => string): Compile =>
  (option, { report }) => {
    if (option !== true) report("can only be true; leave it out otherwise");
    return onText(change);
  };

const wantsText =
  (change: (text: string, given: string) => string): Compile =>
  (option, { report }) => {
    if (typeof option !== "string" || option === "") report("must be a text");
    return onText((text) => change(text, String(option)));
  };

/** No field of the platform is that wide, and a slip of the pen must not fill the memory. */
const maxWidth = 1_000;

/** `{ to: 10, with: "0", side: start }`. */
const pad: Compile = (option, { report }) => {
  const {
    to,
    with: fill = "0",
    side = "start",
    ...rest
    // An object, whose members are checked below.
  } = (typeof option === "object" && option !== null ? option : {}) as Record<string, unknown>;
  const isGood = Number.isInteger(to) && Number(to) <= maxWidth && typeof fill === "string" && fill.length === 1;
  if (!isGood || (side !== "start" && side !== "end") || Object.keys(rest).length > 0) {
    report(`${shown(option)} is no padding; write { to: 10, with: "0", side: start } (or end)`);
  }
  const [width, character] = [Number(to) || 0, String(fill)];
  return onText((text) => (side === "end" ? text.padEnd(width, character) : text.padStart(width, character)));
};

const changedCase: Compile = (option, { report }) => {
  if (option !== "upper" && option !== "lower") report("must be upper or lower");
  return onText((text) => (option === "upper" ? text.toUpperCase() : text.toLowerCase()));
};

/** What takes the packing off a value, before anything looks at it. */
export const cleaningSteps: Readonly<Record<string, Compile>> = {
  trim: wantsTrue((text) => text.trim()),
  stripLeading: wantsText((text, given) => {
    let at = 0;
    while (text.startsWith(given, at)) at += given.length;
    return text.slice(at);
  }),
};

/** What gives a text its last form. */
export const shapingSteps: Readonly<Record<string, Compile>> = {
  case: changedCase,
  pad,
  prefix: wantsText((text, given) => given + text),
  suffix: wantsText((text, given) => text + given),
};
