import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Clock } from "../../kit/time/clock.ts";
import type { FloorControl, FloorRun, SimulationRequest } from "../../server/workshop/floor-control.ts";

export interface FloorControlNeeds {
  /** The script of the command line; absent if the adapter was started by code. */
  readonly program: string | undefined;
  readonly url: () => string;
  readonly apiKey: string;
  readonly isProduction: () => boolean;
  readonly clock: Clock;
}

const keptLines = 400;
const longestLine = 500;

/** The exit codes with which a run ends by itself; with any other code, it failed or was stopped. */
const endStates: Readonly<Record<number, FloorRun["state"]>> = { 0: "passed", 1: "findings" };

export function openFloorControl(needs: FloorControlNeeds): FloorControl {
  const { program, apiKey, isProduction, clock } = needs;
  let run: { facts: FloorRun; child: ChildProcess; folder: string } | null = null;

  const update = (child: ChildProcess, change: (facts: FloorRun) => Partial<FloorRun>) => {
    // Lines of an earlier run are ignored once another run has started.
    if (run?.child === child) run = { ...run, facts: { ...run.facts, ...change(run.facts) } };
  };
  const start = (kind: FloorRun["kind"], options: readonly string[], operator: string) => {
    if (program === undefined) return { refused: "This adapter was started by code, without the command line." };
    if (run?.facts.state === "running") return { refused: "Another run has not ended yet. Wait for it, or stop it." };
    if (run !== null) {
      // A stopped run may still be ending, and must neither work beside the next one nor write into its folder again.
      run.child.kill("SIGKILL");
      removeFolder(run.folder);
    }
    const folder = mkdtempSync(join(tmpdir(), "crossdock-floor-"));
    const files = ["--json", join(folder, "report.json"), "--html", join(folder, "report.html")];
    const child = spawn(process.execPath, [program, kind, ...options, ...files, needs.url()], {
      // The key is passed in the environment, because everybody on the machine can read the arguments of a process.
      env: { ...process.env, CROSSDOCK_API_KEY: apiKey, NO_COLOR: "1" },
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const startedAt = new Date(clock.now()).toISOString();
    const facts: FloorRun = { kind, startedAt, startedBy: operator, state: "running", output: [], report: null };
    run = { facts, child, folder };
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) =>
        update(child, ({ output }) => ({ output: [...output, line.slice(0, longestLine)].slice(-keptLines) })),
      );
    }
    child.once("error", (error) =>
      update(child, ({ output }) => ({ state: "failed", output: [...output, error.message] })),
    );
    child.once("close", (code, signal) =>
      update(child, ({ state }) => ({
        state: state === "stopped" || signal !== null ? "stopped" : (endStates[code ?? -1] ?? "failed"),
        report: reportIn(folder),
      })),
    );
    return facts;
  };

  return {
    state: () => ({ isProduction: isProduction(), run: run?.facts ?? null }),
    simulate: (request, operator) =>
      isProduction() ? { refused: onProduction } : start("simulate", simulationOptions(request), operator),
    conform: ({ isFull }, operator) =>
      isFull && isProduction() ? { refused: onProduction } : start("conform", isFull ? ["--full"] : [], operator),
    stop: () => {
      if (run?.facts.state !== "running") return false;
      const { child } = run;
      update(child, () => ({ state: "stopped" }));
      return child.kill("SIGTERM");
    },
    page: () => (run === null ? null : textIn(join(run.folder, "report.html"))),
    close: () => {
      if (run === null) return;
      run.child.kill("SIGKILL");
      removeFolder(run.folder);
      run = null;
    },
  };
}

/** Several tries: the killed process may just be writing there. */
const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

const onProduction =
  "This adapter is marked as productive (`console.production`): nothing may work on its orders but the floor.";

function simulationOptions(request: SimulationRequest): string[] {
  const { orders, operators, speed, minutes, faultPercent, changePercent, seed } = request;
  return [
    ...[
      "--orders",
      String(orders),
      "--operators",
      String(operators),
      "--speed",
      speed === null ? "max" : String(speed),
    ],
    ...(minutes === null ? [] : ["--minutes", String(minutes)]),
    // `erp-down` needs the control address of an external system.
    ...(faultPercent === 0 ? [] : ["--faults", faultList(faultPercent)]),
    ...(changePercent === 0 ? [] : ["--changes", `${changePercent}%`]),
    ...(seed === null ? [] : ["--seed", String(seed)]),
    "--remote",
  ];
}

const faultList = (percent: number) =>
  ["repeat", "abort", "late", "parallel", "reorder", "mid-pick-cancel"].map((name) => `${name}=${percent}%`).join(",");

/** The report of a run; null if there is none. A run that was killed may have written half of it. */
function reportIn(folder: string): object | null {
  const text = textIn(join(folder, "report.json"));
  try {
    // The tool that wrote the report is part of this program.
    return text === null ? null : (JSON.parse(text) as object);
  } catch {
    return null;
  }
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A run that was stopped or has failed leaves no report.
    return null;
  }
}
