import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { faultNames, faults, noFaults, readFaultRates } from "../../../tools/simulator/calls/fault-rates.ts";
import { externalChanges, freedoms, readChangeRates } from "../../../tools/simulator/changes/change-plan.ts";
import type { Simulation } from "../../../tools/simulator/simulation.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { givenApiKey } from "../../given-api-key.ts";

const faultsHelp = faultNames.map((name) => `${name}: ${faults[name]}`).join("; ");
const changesHelp = Object.entries({ ...externalChanges, ...freedoms })
  .map(([name, does]) => `${name}: ${does}`)
  .join("; ");

export const simulateCommand = defineCommand({
  name: "simulate",
  summary: "run a warehouse floor against an adapter",
  details:
    "Plays the platform: operators fetch orders, pick, sort and relocate, and report every step. The floor keeps its own records and " +
    "compares them with the adapter's report at the end, with a key also with its journal: every difference is a " +
    "finding. It really completes the orders it works on: use a test system.\n\n" +
    `Faults, each with its share of the calls: ${faultsHelp}.\n\nChanges, each with its share of the orders: ${changesHelp}.`,
  arguments: [{ name: "url", description: "address of the adapter, with its base path" }],
  options: {
    apiKey: {
      value: "KEY",
      description: "key of the inbound routes (else CROSSDOCK_API_KEY or CROSSDOCK_API_KEY_FILE): orders can be pushed",
    },
    orders: { value: "NUMBER", description: "number of orders to push first (0: use the adapter's own orders)" },
    operators: { value: "NUMBER", description: "number of operators who work at the same time (8)" },
    speed: { value: "FACTOR", description: "times faster than real time, or max (60)" },
    minutes: { value: "NUMBER", description: "length of the shift in simulated time (else until all is done)" },
    rps: { value: "NUMBER", description: "maximum number of calls per second" },
    seed: { value: "NUMBER", description: "the same seed makes the same calls (else random)" },
    faults: { value: "LIST", description: "such as repeat=1%,abort=1% or all=1%" },
    changes: { value: "LIST", description: "such as 5% for each of them, or raise-line=5%,fetch-again=2%" },
    storage: { value: "NAME", description: "storage the operators work in (Main)" },
    erpControl: { value: "URL", description: "control address of the external system, to take it down for erp-down" },
    idempotencyKeys: { description: "send an Idempotency-Key with each event, as a gateway may" },
    legacyStatus: { description: "also report every change of an order's status, as older platforms do" },
    remote: { description: "the adapter may be on another machine" },
    from: { value: "FILE", description: "replay a file written by crossdock record instead of simulating a floor" },
    compareData: { description: "with --from: also compare orders, items and reports, not only results" },
    json: { value: "FILE", description: "write the result as JSON" },
    html: { value: "FILE", description: "write the report as one HTML file" },
    quiet: { description: "print only the result" },
  },
  examples: [
    { command: "crossdock simulate http://127.0.0.1:8080", does: "works on the adapter's own orders" },
    {
      command: "crossdock simulate --orders 200 --speed max --faults all=1% http://127.0.0.1:8080",
      does: "a day with faults, at full speed; key in CROSSDOCK_API_KEY",
    },
    {
      command: "crossdock simulate --orders 500 --speed max --changes 5% http://127.0.0.1:8080",
      does: "a day on which orders change before, during and after picking",
    },
    {
      command: "crossdock simulate --orders 5000 --operators 64 --speed max --rps 2000 --html load.html URL",
      does: "a load test with a report",
    },
    { command: "crossdock simulate --from monday.jsonl http://127.0.0.1:8080", does: "replays a recorded day" },
  ],
  run: async ({ arguments: { url }, options, terminal }) => {
    const apiKey = await givenApiKey(options.apiKey, terminal);
    const simulation = readSimulation(url, { ...options, apiKey }, randomInt(1, 1_000_000));
    if (simulation.orders > 0 && apiKey === undefined) {
      throw new CommandFailure("orders can only be pushed with the key of the adapter", {
        next: "give --api-key KEY, or omit --orders to work on the adapter's own orders",
      });
    }
    const write = async (file: string | undefined, content: () => string) => {
      if (file === undefined) return;
      await writeFile(resolve(terminal.cwd, file), content()).catch(() => {
        throw new CommandFailure(`${file} cannot be written`, {
          next: "check the folder and its permissions",
        });
      });
    };
    if (options.from !== undefined) {
      const { replayRecording } = await import("../../simulate/run-simulation.ts");
      const replayOptions = {
        file: options.from,
        isDataCompared: options.compareData,
        isQuiet: options.quiet,
        terminal,
      };
      const { recordedMs: _, nowMs: __, ...replayed } = await replayRecording(simulation, replayOptions);
      await write(options.json, () => `${JSON.stringify(replayed, null, 2)}\n`);
      return replayed.different === 0 ? "ok" : "failed";
    }
    const [{ runSimulation }, { htmlReport }, { textReport }] = await Promise.all([
      import("../../simulate/run-simulation.ts"),
      import("../../../tools/simulator/reports/shift-html-report.ts"),
      import("../../../tools/simulator/reports/summary.ts"),
    ]);
    const summary = await runSimulation(simulation, { terminal, isQuiet: options.quiet });
    // Must come first: if a file cannot be written, the result of a long run must not be lost.
    terminal.print(textReport(summary, { isWhole: !options.quiet }));
    await write(options.json, () => `${JSON.stringify(summary, null, 2)}\n`);
    await write(options.html, () => htmlReport(summary));
    return summary.ok ? "ok" : "failed";
  },
});

/** The options of `crossdock simulate`, named as in the command's definition. */
interface SimulateOptions {
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

function readSimulation(url: string, options: SimulateOptions, drawnSeed: number): Simulation {
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
