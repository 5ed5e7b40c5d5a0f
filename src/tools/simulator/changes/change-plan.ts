import type { Random } from "../../../kit/ids.ts";
import { noShares, readShares, type Shares } from "../calls/fault-rates.ts";

/** When the external system sends a change, seen from the floor. */
export const phases = ["before the list", "before the scan", "fetched", "during", "after", "follow-up"] as const;
export type Phase = (typeof phases)[number];

type PlannedKind = Exclude<ExternalChangeName, "take-back" | "twice"> | "restore";

/** A planned change. It is drawn before the shift, so that the draw cannot depend on the state of the order. */
export interface PlannedChange {
  readonly kind: PlannedKind;
  readonly phase: Phase;
  /** For phases with steps: the change is sent before this step. */
  readonly step: number;
  /** Random values that choose the line, the amount and the form. */
  readonly draws: readonly [line: number, amount: number, form: number];
  /** Whether a later change undoes this one. */
  readonly isTakenBack?: boolean;
}

/** All special events of one order of the day. */
export interface ChangePlan {
  /** In the order in which they are sent. Sent ones are removed. */
  readonly changes: PlannedChange[];
  readonly isFetchedEarly: boolean;
  /** The platform fetches the order again before this step; null if it does not. */
  readonly fetchesAgainAt: number | null;
  /** Whether lines that are fetched again include earlier picks. */
  readonly isCarriedOver: boolean;
  readonly ignoresOffers: boolean;
  /** How many steps later an offer is applied. */
  readonly lateSteps: number;
  readonly isShort: boolean;
  readonly hasSecondCart: boolean;
  /** Whether follow-ups are processed right after the order instead of when they are listed. */
  readonly followsAtOnce: boolean;
}

const simpleKinds = ["cancel-line", "reduce-line", "raise-line", "add-line"] as const;
const mostStepsBefore = 5;

/** Draws the same number of random values for each kind, so that switching one kind off does not change the others. */
export function planChanges(rates: ChangeRates, randomOf: (purpose: string) => Random): ChangePlan {
  const planned = externalChangeNames.flatMap((name): PlannedChange[] => {
    const random = randomOf(name);
    const isDrawn = random.chance(rates[name]);
    const at = { phase: random.oneOf(phases), step: random.whole(0, mostStepsBefore) };
    const draws = () => [random.whole(0, 999), random.whole(0, 999), random.whole(0, 99)] as const;
    if (!isDrawn) return [];
    if (name === "twice") {
      return [
        { kind: random.oneOf(simpleKinds), ...at, draws: draws() },
        { kind: random.oneOf(simpleKinds), ...at, draws: draws() },
      ];
    }
    if (name !== "take-back") return [{ kind: name, ...at, draws: draws() }];
    const back = phases.indexOf(at.phase) + random.whole(0, 2);
    const kind = random.chance(0.4) ? "cancel-order" : "cancel-line";
    const backAt = { phase: phases[back] ?? "follow-up", step: at.step + random.whole(0, 2) };
    return [
      { kind, ...at, draws: draws(), isTakenBack: true },
      { kind: "restore", ...backAt, draws: draws() },
    ];
  });
  const random = randomOf("freedoms");
  const isFetchedEarly = random.chance(rates["early-fetch"]);
  const [isFetchedAgain, fetchesAgainAt] = [random.chance(rates["fetch-again"]), random.whole(1, mostStepsBefore)];
  const [isLate, lateSteps] = [random.chance(rates["late-offer"]), random.whole(1, 3)];
  return {
    changes: planned.toSorted((a, b) => phases.indexOf(a.phase) - phases.indexOf(b.phase) || a.step - b.step),
    isFetchedEarly,
    fetchesAgainAt: isFetchedAgain ? fetchesAgainAt : null,
    isCarriedOver: random.chance(0.75),
    ignoresOffers: random.chance(rates["ignore-offer"]),
    lateSteps: isLate ? lateSteps : 0,
    isShort: random.chance(rates["short-pick"]),
    hasSecondCart: random.chance(rates["several-carts"]),
    followsAtOnce: random.chance(0.6),
  };
}

/** Changes by the external system, by their names on the command line. */
export const externalChanges = {
  "cancel-order": "the whole order is cancelled",
  "cancel-line": "a line is cancelled",
  "reduce-line": "a line is lowered, by a cancellation or by the order pushed again",
  "raise-line": "a line is raised",
  "add-line": "a line is added",
  "push-again": "the order is pushed again as it is",
  "take-back": "a line or the order is cancelled, and wanted again some time later",
  twice: "two changes follow each other with nothing between them",
} as const;
type ExternalChangeName = keyof typeof externalChanges;

/** What the platform may do with an order that changes. */
export const freedoms = {
  "early-fetch": "the platform works on what it fetched before the shift, and not on what a scan shows",
  "fetch-again": "the platform fetches an order again while it runs; all its lines get new request ids",
  "ignore-offer": "the platform applies nothing that is offered for this order",
  "late-offer": "the platform applies what is offered some steps later",
  "short-pick": "a shelf holds less than is wanted; the rest of the line is given up",
  "several-carts": "a second cart goes for the order, and takes what was added while the first is on its way",
} as const;
type FreedomName = keyof typeof freedoms;

type ChangeName = ExternalChangeName | FreedomName;
// Object.keys loses the type of the keys.
export const externalChangeNames = Object.keys(externalChanges) as ExternalChangeName[];
// Object.keys loses the type of the keys.
export const changeNames = [...externalChangeNames, ...(Object.keys(freedoms) as FreedomName[])] as const;

/** Each as a share of the orders. */
export type ChangeRates = Shares<ChangeName>;

/** Reads `5%`, which applies to every name, or `raise-line=5%,fetch-again=2%`. */
export function readChangeRates(text: string): { readonly rates: ChangeRates } | { readonly problem: string } {
  const options = { names: changeNames, what: "change", example: "raise-line=5%" };
  const read = readShares(/^\s*\d[\d.]*\s*%\s*$/.test(text) ? `all=${text}` : text, options);
  return "problem" in read ? read : { rates: read.shares };
}

export const noChanges: ChangeRates = noShares(changeNames);
