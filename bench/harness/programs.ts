import type { MapSettings } from "../clients/map-orders.ts";
import type { AdapterSettings } from "../servers/adapter.ts";
import type { ErpSettings } from "../servers/erp.ts";
import { type Child, type ChildOptions, startChild } from "./processes/child.ts";
import { serviceSettings } from "./processes/service-settings.ts";

const program = (path: string) => new URL(`../${path}`, import.meta.url);

export interface ServerChild extends Child {
  readonly url: string;
}

async function startServer(
  path: string,
  settings: unknown,
  { nodeOptions = [], env = {} }: Omit<ChildOptions, "settings"> = {},
): Promise<ServerChild> {
  const child = await startChild(program(path), { settings, nodeOptions: [...nodeOptions, ...profiling(path)], env });
  // Every server of this folder reports its address when it is ready.
  return { ...child, url: (child.ready as { url: string }).url };
}

/** CROSSDOCK_BENCH_PROFILE=FOLDER writes a processor profile of every server that ends. */
function profiling(path: string): string[] {
  const folder = process.env["CROSSDOCK_BENCH_PROFILE"];
  if (folder === undefined) return [];
  return ["--cpu-prof", `--cpu-prof-dir=${folder}/${path.replace(/\W+/g, "-")}`];
}

export const startAdapter = (folder: string, options: Omit<AdapterSettings, "folder"> = {}) =>
  startServer("servers/adapter.ts", { folder, ...options } satisfies AdapterSettings);
/** The adapter with the settings of the service unit for memory. */
export const startService = (folder: string, options: Omit<AdapterSettings, "folder"> = {}) =>
  startServer("servers/adapter.ts", { folder, ...options } satisfies AdapterSettings, serviceSettings);
export const startErp = (settings: ErpSettings) => startServer("servers/erp.ts", settings);
export const startLongAnswers = () => startServer("servers/long-answers.ts", null);
export const startReceiver = () => startServer("servers/receiver.ts", null);
export const startCollector = () => startServer("servers/collector.ts", null);
export const startConstant = (body: string) => startServer("servers/constant.ts", { body });
export const startProxy = (to: string) => startServer("bare/proxy.ts", { to });
export const startWithoutJournal = () => startServer("servers/without-journal.ts", null);
export const startPeer = (name: "bullmq" | "pg-boss" | "graphile-worker", settings: unknown) =>
  startServer(`servers/queues/${name}.ts`, settings);
export const startPaced = () => startChild(program("clients/paced.ts"));
export const startLoad = () => startChild(program("clients/load.ts"));
export const startFloor = () => startChild(program("clients/floor.ts"));
export const startPusher = () => startChild(program("clients/pusher.ts"));
export const startLongOrder = () => startChild(program("servers/long-order-writer.ts"));
export const startReader = () => startChild(program("clients/reader.ts"));
export const startSockets = () => startChild(program("clients/hostile/sockets.ts"));
export const startHostile = () => startChild(program("clients/hostile/requests.ts"));
export const startConsoles = () => startChild(program("clients/consoles.ts"));
export const startProbe = () => startChild(program("clients/probe.ts"));
export const startStringifyList = (settings: { orders: number; lines: number }) =>
  startChild(program("bare/stringify-list.ts"), { settings });
export const startMapOrders = (settings: MapSettings) => startChild(program("clients/map-orders.ts"), { settings });
export const startMapByHand = (settings: MapSettings) => startChild(program("bare/map-by-hand.ts"), { settings });
export const startInsert = (store: string) => startChild(program("bare/insert.ts"), { settings: { store } });
export const startFreeMemory = () => startChild(program("harness/processes/free-memory.ts"));
export const startComputeExport = (settings: { rows: number }) =>
  startChild(program("bare/compute-export.ts"), { settings });

/** Always ends the children, because a remaining one would disturb every later figure. */
export async function withChildren<Result>(children: readonly Child[], use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } finally {
    for (const child of children) await child.stop();
  }
}
