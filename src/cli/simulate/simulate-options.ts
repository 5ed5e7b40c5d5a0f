import { faultNames, faults, noFaults, readFaultRates } from "../../tools/simulator/calls/fault-rates.ts";
import { freedoms, readChangeRates, words } from "../../tools/simulator/changes/change-plan.ts";
import type { Simulation } from "../../tools/simulator/simulation.ts";
import { CommandFailure } from "../command.ts";

/** The options of `crossdock simulate`, named as in the command's definition. */
export interface SimulateOptions {
  readonly apiKey: string | undefined;
  readonly orders: string | undefined;
  readonly operators: string | undefined;
  readonly rps: string | undefined;
  readonly minutes: string | undefined;
  readonly speed: string | undefined;
  readonly seed: string | undefined;
  readonly faults: string | undefined;
  readonly changes: string | undefined;
  readonly storage: string | undefined;
  readonly erpControl: string | undefined;
  readonly idempotencyKeys: boolean;
  readonly legacyStatus: boolean;
  readonly remote: boolean;
}

const defaultOperators = 8;
const defaultSpeed = 60;
const patienceMs = 120_000;

export const changesHelp = Object.entries({ ...words, ...freedoms })
  .map(([name, does]) => `${name}: ${does}`)
  .join("; ");

export const faultsHelp = faultNames.map((name) => `${name}: ${faults[name]}`).join("; ");

export function readSimulation(url: string, options: SimulateOptions, drawnSeed: number): Simulation {
  const minutes = wholeFrom("minutes", options.minutes, 1, 100_000);
  return {
    baseUrl: addressFrom(url, options.remote),
    apiKey: options.apiKey ?? null,
    seed: wholeFrom("seed", options.seed, 0, 2 ** 31) ?? drawnSeed,
    orders: wholeFrom("orders", options.orders, 0, 200_000) ?? 0,
    operators: wholeFrom("operators", options.operators, 1, 1000) ?? defaultOperators,
    speed: speedFrom(options.speed),
    callsPerSecond: wholeFrom("rps", options.rps, 1, 100_000),
    shiftMs: minutes === null ? Number.POSITIVE_INFINITY : minutes * 60_000,
    rates: ratesFrom(options.faults, options),
    ...changesFrom(options.changes, options),
    hasKeys: options.idempotencyKeys,
    hasStatus: options.legacyStatus,
    storage: options.storage ?? "Main",
    erpControlUrl: options.erpControl?.replace(/\/+$/, "") ?? null,
    patienceMs,
  };
}

function addressFrom(text: string, isRemoteAllowed: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new CommandFailure(`${text} is not an address of an adapter`, {
      next: "write it like http://127.0.0.1:8080",
    });
  }
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  // Protects a real warehouse: with a mistyped address the simulation would complete its orders.
  if (!isHere && !isRemoteAllowed) {
    throw new CommandFailure(`${url.host} is another machine, and the simulation would complete its orders`, {
      next: "add --remote if it is a test system",
    });
  }
  return text.replace(/\/+$/, "");
}

function wholeFrom(name: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
  throw new CommandFailure(`--${name} ${text} is not a whole number from ${least} to ${most}`, {
    next: "correct it, or see crossdock simulate --help",
  });
}

function speedFrom(text: string | undefined): number | null {
  if (text === "max") return null;
  const speed = Number(text ?? defaultSpeed);
  if (speed > 0 && speed <= 100_000) return speed;
  throw new CommandFailure(`--speed ${text} is not a speed`, {
    next: "write max, or a factor, such as 60 for 60 times real time",
  });
}

function ratesFrom(text: string | undefined, { apiKey, erpControl }: SimulateOptions): Simulation["rates"] {
  if (text === undefined) return noFaults;
  const read = readFaultRates(text);
  if ("problem" in read) throw new CommandFailure(read.problem, { next: faultsHelp });
  if (read.rates["erp-down"] > 0 && erpControl === undefined) {
    throw new CommandFailure("the external system cannot be taken down from here", {
      next: "name its control address with --erp-control, such as that of crossdock mock-erp",
    });
  }
  const needsKey = read.rates["mid-pick-cancel"] > 0 && apiKey === undefined && !/\ball\s*=/.test(text);
  if (!needsKey) return read.rates;
  throw new CommandFailure("a change can only be pushed with the key of the adapter", { next: "give --api-key KEY" });
}

function changesFrom(text: string | undefined, { apiKey, orders }: SimulateOptions): Pick<Simulation, "changes"> {
  if (text === undefined) return {};
  const read = readChangeRates(text);
  if ("problem" in read) throw new CommandFailure(read.problem, { next: changesHelp });
  // Only the simulation knows the wanted amounts of orders that it pushed itself; others must not be changed.
  if (apiKey === undefined || orders === undefined) {
    throw new CommandFailure("only orders pushed by the simulation can change", {
      next: "give --orders NUMBER and --api-key KEY",
    });
  }
  return { changes: read.rates };
}
