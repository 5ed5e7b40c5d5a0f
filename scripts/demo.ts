import { setTimeout as pause } from "node:timers/promises";
import { systemTimers } from "../src/kit/time/timers.ts";
import { noFaults } from "../src/tools/simulator/calls/fault-rates.ts";
import { simulate } from "../src/tools/simulator/simulate.ts";
import type { FloorView } from "../src/tools/simulator/simulation.ts";
import { compareWithErp } from "./demo/compare-with-erp.ts";
import { demoScreen, orderStates } from "./demo/screen.ts";
import { openStage, type Stage } from "./demo/stage.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run demo

Starts an ERP, Crossdock in front of it and a floor that picks, each in memory or in a temporary folder, and
compares their records. On a terminal it shows shift after shift until Ctrl+C; in a pipe it runs one short shift and
ends, with 0 only without a difference. It has no options.`);
  process.exit(0);
}

/** On a terminal, the demo runs shift after shift until Ctrl+C. In a pipe it runs one short shift and ends. */
const isWatched = process.stdout.isTTY === true;
const settings = isWatched ? { orders: 48, speed: 30, drawMs: 250 } : { orders: 16, speed: 400, drawMs: 1000 };
const settleMs = 30_000;
/** After Ctrl+C, waiting entries get at most this long to be delivered. */
const hurriedMs = 3_000;
const cancelEveryMs = 7_000;

const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A second Ctrl+C ends at once.
    if (ended.signal.aborted) process.exit(1);
    ended.abort();
  });
}
process.stdout.on("error", () => process.exit(0));

const notes: string[] = [];
const say = (text: string) => {
  // After the end, the screen is not drawn any more, so the text is printed.
  if (isWatched && !ended.signal.aborted) notes.push(text);
  else console.log(text);
};

let floor: FloorView | null = null;
let shift = 0;
let isDifferent = false;

async function playShift({ erp, adapter, waiting }: Stage): Promise<void> {
  shift++;
  const result = await simulate(
    {
      ...{ baseUrl: adapter.url, apiKey: null, seed: shift, orders: 0, operators: 4, speed: settings.speed },
      ...{ callsPerSecond: null, shiftMs: 8 * 3_600_000, hasKeys: false, storage: "Main", patienceMs: 10_000 },
      ...{ rates: { ...noFaults, repeat: 0.01, abort: 0.01, "erp-down": 0.15 }, erpControlUrl: `${erp.url}/control` },
    },
    {
      ...{ timers: systemTimers, now: () => performance.now(), today: () => new Date() },
      onBegin: (view) => {
        floor = view;
      },
      stopped: ended.signal,
    },
  );
  const from = performance.now();
  const allowedMs = () => (ended.signal.aborted ? hurriedMs : settleMs);
  const differences = () => compareWithErp(result.records, erp.state);
  // Wait for events that the ERP missed while it was down.
  while ((differences().length > 0 || (await waiting()) > 0) && performance.now() - from < allowedMs())
    await pause(100);
  const done = `shift ${shift}: ${result.view.ordersDone} orders, ${result.view.tally.all.count()} calls; `;
  const late = await waiting();
  if (ended.signal.aborted && late > 0) return say(`${done}${late} events were still on their way to the ERP`);
  const found = [...differences(), ...result.view.tally.findings.map(({ text, order }) => `${text} (${order ?? ""})`)];
  for (const text of found.slice(0, 10)) say(`  ${text}`);
  if (found.length > 0 || result.gaveUp !== null) isDifferent = true;
  say(done + (found.length === 0 ? "the ERP has booked what the floor has picked" : `${found.length} differences`));
}

/** Sometimes the office cancels a line, perhaps one that is being picked. */
async function office({ erp }: Stage): Promise<void> {
  for (let times = 0; !ended.signal.aborted; times++) {
    await pause(cancelEveryMs, undefined, { signal: ended.signal }).catch(() => {});
    const open = [...erp.state.orders.values()].filter(({ state }) => state === "started");
    const order = open[times % Math.max(1, open.length)];
    const line = order?.lines.find(({ picked, isCancelled }) => picked === 0 && !isCancelled);
    if (order === undefined || line === undefined || ended.signal.aborted) continue;
    erp.state.cancel(order.number, line.line, "sold out");
    say(`the office cancels line ${line.line} of order ${order.number}`);
  }
}

async function draw({ erp, adapter, waiting }: Stage): Promise<void> {
  const view = { shift, floor, erp, adapterUrl: adapter.url, waiting: await waiting(), notes };
  if (isWatched) {
    const lines = demoScreen(view).map((line) => line.slice(0, Math.max(20, process.stdout.columns - 1)));
    process.stdout.write(`\u001b[H\u001b[J${lines.slice(0, Math.max(10, process.stdout.rows - 1)).join("\n")}\n`);
    return;
  }
  const { ordersDone = 0, ordersTotal = 0, phase = "" } = floor ?? {};
  console.log(
    `${phase}: ${ordersDone} of ${ordersTotal} orders; ERP: ${orderStates(erp)}; ${view.waiting} events wait`,
  );
}

const stage = await openStage({ orders: settings.orders });
say(`adapter ${stage.adapter.url}, ERP ${stage.erp.url}/api`);
const watching = (async () => {
  while (!ended.signal.aborted) {
    await draw(stage);
    await pause(settings.drawMs, undefined, { signal: ended.signal }).catch(() => {});
  }
})();
const working = isWatched ? office(stage) : Promise.resolve();
try {
  do {
    await playShift(stage);
    for (let count = 0; isWatched && count < settings.orders; count++) stage.erp.state.addOrder();
  } while (isWatched && !ended.signal.aborted);
} finally {
  ended.abort();
  await Promise.all([watching, working]);
  await stage.close();
}
console.log(
  `${stage.erp.state.eventCount()} events booked in ${shift} ${shift === 1 ? "shift" : "shifts"}; all is cleaned up`,
);
process.exitCode = isDifferent ? 1 : 0;
