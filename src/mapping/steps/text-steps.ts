import { nearestName } from "../../kit/nearest-name.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { complain, type Read, type Site, type Step, shown } from "../run.ts";
import { enumerations } from "../target.ts";

const usualWords = {
  true: ["true", "1", "yes", "y", "x", "ja", "j", "oui", "si", "sì", "sí", "tak", "t", "on", "-1"],
  false: ["false", "0", "no", "n", "nein", "non", "nee", "nie", "f", "off"],
};

/** Reads a flag. `true` accepts the usual words; `{ true: [J], false: [N] }` accepts only these. Case-insensitive. */
export function booleanStep(option: unknown, { site, report }: StepNeeds): Step {
  const words = option === true ? usualWords : option;
  const table = new Map<string, boolean>();
  for (const flag of [true, false]) {
    const list =
      // It is an object, as just checked; its lists are checked next.
      typeof words === "object" && words !== null ? (words as Record<string, unknown>)[String(flag)] : undefined;
    if (list === undefined) report("write true, or { true: [words], false: [words] }");
    for (const word of [list ?? []].flat()) table.set(String(word).toLowerCase(), flag);
  }
  return (value, run) => {
    if (typeof value === "boolean") return value;
    const found = table.get(String(value).trim().toLowerCase());
    return found ?? complain(site, run, `${shown(value)} is neither a word for true nor for false; add it to boolean`);
  };
}

/** Makes a step for texts. Other values pass unchanged, and the last step checks the contract's type. */
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

/** No field of the platform is that wide, and a typing error must not fill the memory. */
const maxWidth = 1_000;

/** `{ to: 10, with: "0", side: start }`. */
const pad: Compile = (option, { report }) => {
  const {
    to,
    with: fill = "0",
    side = "start",
    ...rest
    // It is an object; its members are checked below.
  } = (typeof option === "object" && option !== null ? option : {}) as Record<string, unknown>;
  const isGood = Number.isInteger(to) && Number(to) <= maxWidth && typeof fill === "string" && fill.length === 1;
  if (!isGood || (side !== "start" && side !== "end") || Object.keys(rest).length > 0) {
    report(`${shown(option)} is not a padding; write { to: 10, with: "0", side: start } (or end)`);
  }
  const [width, character] = [Number(to) || 0, String(fill)];
  return onText((text) => (side === "end" ? text.padEnd(width, character) : text.padStart(width, character)));
};

const changedCase: Compile = (option, { report }) => {
  if (option !== "upper" && option !== "lower") report("must be upper or lower");
  return onText((text) => (option === "upper" ? text.toUpperCase() : text.toLowerCase()));
};

/** Steps that unwrap a value before all others. */
export const cleaningSteps: Readonly<Record<string, Compile>> = {
  trim: wantsTrue((text) => text.trim()),
  stripLeading: wantsText((text, given) => {
    let at = 0;
    while (text.startsWith(given, at)) at += given.length;
    return text.slice(at);
  }),
};

/** Steps that give a text its final form. */
export const shapingSteps: Readonly<Record<string, Compile>> = {
  case: changedCase,
  pad,
  prefix: wantsText((text, given) => given + text),
  suffix: wantsText((text, given) => text + given),
};

/** For example `enum: UnitOfMeasure`: converts a contract name, a number or a common word to the number. */
export function enumStep(option: unknown, { site, report }: StepNeeds): Step {
  const name = String(option);
  const enumeration = Object.hasOwn(enumerations, name) ? enumerations[name] : undefined;
  if (enumeration === undefined) {
    const names = Object.keys(enumerations);
    const near = nearestName(name, names);
    report(
      near === undefined
        ? `${shown(option)} is not one of ${names.join(", ")}`
        : `there is no ${name}; did you mean ${near}?`,
    );
    return (value) => value;
  }
  return (value, run) =>
    enumeration.numberOf(value) ??
    complain(site, run, `${shown(value)} is not one of ${enumeration.names.join(", ")}; add a lookup`);
}

/** A lookup table of the configuration. `else` is used for values that are not in it. */
export function lookupStep(option: unknown, otherwise: unknown, { site, report }: StepNeeds): Step {
  const isTable = typeof option === "object" && option !== null && !Array.isArray(option);
  if (!isTable) report("must be a table: value of the source → value of the contract");
  const table = new Map<string, unknown>(isTable ? Object.entries(option) : []);
  const names = [...table.keys()];
  const known = names.slice(0, 10).join(", ") + (names.length > 10 ? ", …" : "");
  return (value, run) => {
    const key = typeof value === "string" ? value : String(value);
    // A table may contain null: then the member is left out on purpose.
    if (table.has(key)) return table.get(key) ?? undefined;
    if (otherwise !== undefined) return otherwise;
    return complain(site, run, `${shown(value)} is not in the lookup (${known}); add it there, or add else`);
  };
}

/** What the compiler of one step may use. */
export interface StepNeeds {
  readonly site: Site;
  readonly dates: DateSettings;
  /** Reports that the option of this step is wrong; `key` is a member of it. */
  readonly report: (text: string, key?: string) => void;
}

/** The needs of steps that read a second field of the record. */
export interface ReadingNeeds extends StepNeeds {
  /** Undefined if it is not a path, which is then reported. */
  readonly read: (path: unknown, key: string) => Read | undefined;
  /** Whether the target is a measure, which may become the nearest number. */
  readonly isMeasure: boolean;
}
