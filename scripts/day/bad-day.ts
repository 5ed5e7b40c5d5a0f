import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "../../src/contract/derive/client.ts";
import { startParts } from "./bad-day-parts.ts";
import { panelSigns, unseenOn } from "./panel-signs.ts";
import { queryPrometheus } from "./query-prometheus.ts";

const { values } = parseArgs({
  options: { help: { type: "boolean", short: "h" }, "real-times": { type: "boolean", default: false } },
});
if (values.help) {
  console.log(`npm run test:bad-day -- [--real-times]

The parts of deploy/container/compose.yaml as processes (two adapters, PostgreSQL, Prometheus, mock ERP), and a bad day: the ERP is slow, then down, the
disk is nearly full, an event is refused, an order is not valid, PostgreSQL and the machine are slow, a process is killed. What needs somebody is seen in
the queries of the dashboard, as an alert of the real Prometheus, and in what the console shows; then mended. At the end, every panel must have shown it.

  --real-times  alerts wait as long as deploy/prometheus says (about 10 minutes); otherwise a minute of "for" is a second`);
  process.exit(0);
}

const patienceMs = values["real-times"] ? 15 * 60_000 : 120_000;
const newestMs = 10_000;
const began = Date.now();
const parts = await startParts({ quick: !values["real-times"], withStandby: true });
const { url, key, crossdock } = parts;
const prometheus = queryPrometheus(parts.prometheus);
const client = createClient({ baseUrl: url, apiKey: key });
const headers = { authorization: `Bearer ${key}` };
const admin = async (path: string): Promise<unknown> => (await fetch(url + path, { headers })).json();
const post = async (address: string, body: object): Promise<void> => {
  const given = { ...headers, "content-type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers: given, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}: ${await answer.text()}`);
};
const panel = (title: string) => prometheus.panel(title);

/** Waits for something, and prints how long after the fault or the remedy it was seen. */
async function untilSo(what: string, since: number, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > until) throw new Error(`not seen within ${patienceMs / 1000} s: ${what}`);
    await new Promise((next) => setTimeout(next, 250));
  }
  console.log(`  ${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}
const firing = async (alert: string) =>
  (await prometheus.ask(`ALERTS{alertname="${alert}",alertstate="firing"}`)).length > 0;
const consoleShows = async (path: string, part: RegExp) => part.test(JSON.stringify(await admin(path)));

async function send(count: number, order?: string): Promise<void> {
  const { data } = await client.listWorkOrders();
  const known = (data ?? []).filter(({ requests }) => requests.length > 0);
  for (let n = 0; n < count; n++) {
    const one = known[n % known.length];
    const itemNumber = one?.requests[0]?.itemNumber ?? "";
    const answer = await client.confirmPutWallPlacement({
      ...{ workOrderNumber: order ?? one?.number ?? "", itemNumber, completedAmount: 1, userEmail: "jo@example.com" },
    });
    if (!answer.isResultSuccess) throw new Error(`the floor got ${JSON.stringify(answer)}`);
  }
}

try {
  console.log("A quiet morning");
  let since = Date.now();
  await untilSo("the adapter is ready, its store is PostgreSQL", since, async () => {
    const { ready } = (await admin("/health/ready")) as { ready?: boolean; status?: string };
    return ready === true || (await fetch(`${url}/health/ready`)).status === 200;
  });
  await send(5);
  await untilSo("Prometheus reads it", since, async () => (await panel("Processes that answer")) === 2);
  await untilSo("everything is delivered", since, async () => (await panel("Waiting events")) === 0);
  const quiet = await prometheus.ask('ALERTS{alertstate="firing"}');
  if (quiet.length > 0) throw new Error(`alerts fire on a quiet morning: ${JSON.stringify(quiet)}`);

  console.log("The ERP is slow");
  since = Date.now();
  await post(`${parts.erpControl}/faults`, { faults: "slow=100%:3000ms" });
  await send(1);
  await untilSo("dashboard: Time of the target", since, async () => (await panel("Time of the target")) > 1);
  await post(`${parts.erpControl}/faults`, { faults: "" });

  console.log("The ERP is down");
  since = Date.now();
  await parts.stopErp();
  await send(5).catch(() => {});
  await untilSo(
    "dashboard: Targets that do not answer",
    since,
    async () => (await panel("Targets that do not answer")) === 1,
  );
  await untilSo("dashboard: Waiting events", since, async () => (await panel("Waiting events")) > 0);
  await untilSo("console: the connector does not answer, events wait", since, () =>
    consoleShows("/admin/targets", /"breaker":"(open|half-open)"/),
  );
  await untilSo("alert: CrossdockTargetUnreachable", since, () => firing("CrossdockTargetUnreachable"));

  if (parts.noDisk !== null) console.log(`The disk is not filled: ${parts.noDisk}`);
  else {
    console.log("The disk is nearly full");
    since = Date.now();
    writeFileSync(join(parts.dataFolder, "somebody-elses-file"), Buffer.alloc(200 * 2 ** 20));
    await untilSo("dashboard: Free disk", since, async () => (await panel("Free disk")) < 512 * 2 ** 20);
    await untilSo("alert: CrossdockDiskLow", since, () => firing("CrossdockDiskLow"));
    since = Date.now();
    rmSync(join(parts.dataFolder, "somebody-elses-file"));
    await untilSo("mended: the alert has ended", since, async () => !(await firing("CrossdockDiskLow")));
  }

  console.log("The ERP is back");
  since = Date.now();
  parts.startErp();
  await untilSo("dashboard: no event waits", since, async () => (await panel("Waiting events")) === 0);
  await untilSo("mended: the alert has ended", since, async () => !(await firing("CrossdockTargetUnreachable")));

  console.log("The ERP refuses an event");
  since = Date.now();
  await send(1, "NO-SUCH-ORDER");
  await untilSo("dashboard: Failed deliveries", since, async () => (await panel("Failed deliveries")) === 1);
  await untilSo("console: what failed, and why", since, () =>
    consoleShows("/admin/deliveries", /NO-SUCH-ORDER|refused/),
  );
  await untilSo("alert: CrossdockDeliveryFailed", since, () => firing("CrossdockDeliveryFailed"));
  // The adapter looks for alarms only now and then: mended before, it would raise none.
  const refused = 'crossdock_alarm_raised{alarm="refused"}';
  await untilSo("dashboard: Alarms", since, async () => (await prometheus.ask(refused)).length > 0);
  since = Date.now();
  const listed = crossdock("journal", "list", "--state", "dead", "--json");
  const [, seq = ""] = /"seq": (\d+)/.exec(listed) ?? [];
  crossdock("journal", "skip", seq, "--reason", "there is no such order", "--as", "it");
  await untilSo("mended: the alert has ended", since, async () => !(await firing("CrossdockDeliveryFailed")));

  console.log("An order of the ERP is not valid, an item is not known, and another one is pushed");
  since = Date.now();
  const wrong = { number: "5999", due: "2030-01-31", lines: [{ line: 10, item: "200100", qty: 1.5 }] };
  await post(`${parts.erpControl}/orders`, { order: wrong });
  await client.listWorkOrders();
  const look = async () => {
    await client.getItem({ number: "NO-SUCH-ITEM" });
    await post(`${url}/inbound/items`, [{ number: `A-${Date.now()}` }]);
  };
  // Twice: Prometheus shows how a counter grows, and does not know that it did before its first value.
  await look();
  const counted = async () => (await prometheus.ask('crossdock_pushes_total{topic="items"}')).length > 0;
  await untilSo("Prometheus has counted them", since, counted);
  await look();
  await untilSo("dashboard: Records in quarantine", since, async () => (await panel("Records in quarantine")) > 0);
  await untilSo("dashboard: Raised alarms", since, async () => (await panel("Raised alarms")) > 0);

  console.log("Somebody pauses the ERP");
  since = Date.now();
  await post(`${url}/admin/targets/erp/pause`, { operator: "it", reason: "a bad day" });
  const paused = async () => (await prometheus.ask("max(crossdock_target_paused)"))[0]?.value[1];
  await untilSo("dashboard: Circuit", since, async () => (await paused()) === "1");
  await post(`${url}/admin/targets/erp/resume`, { operator: "it" });

  console.log("PostgreSQL and the machine are slow");
  since = Date.now();
  await Promise.all([parts.freeze("postgres", 1_000), send(1).catch(() => {})]);
  await untilSo("dashboard: Commit", since, async () => (await panel("Commit")) > 0.5);
  await parts.freeze("adapter", 1_000);
  const loop = async () => Number((await prometheus.ask("max(crossdock_event_loop_delay_seconds)"))[0]?.value[1]);
  await untilSo("dashboard: Event loop", since, async () => (await loop()) > 0.5);

  console.log("The owner is killed");
  since = Date.now();
  await parts.killAdapter();
  await untilSo("dashboard: Processes that answer", since, async () => (await panel("Processes that answer")) === 1);
  await untilSo("dashboard: another process is the owner", since, async () => (await panel("Owner")) === 1);
  since = Date.now();
  parts.startAdapter();
  await untilSo("mended: both answer", since, async () => (await panel("Processes that answer")) === 2);

  const titles = Object.keys(panelSigns).filter((title) => title !== "Free disk" || parts.noDisk === null);
  const unseenNow = async () =>
    (await Promise.all(titles.map(async (title) => unseenOn(title, await prometheus.history(title, began))))).flat();
  let unseen = await unseenNow();
  // A panel shows one value per second, so the newest values of Prometheus come a little later.
  for (const until = Date.now() + newestMs; unseen.length > 0 && Date.now() < until; unseen = await unseenNow())
    await new Promise((next) => setTimeout(next, 250));
  if (unseen.length > 0) throw new Error(`not seen on the dashboard:\n  ${unseen.join("\n  ")}`);
  console.log(`All ${Object.keys(panelSigns).length} panels of the dashboard have shown what they are for.`);
} catch (error) {
  console.error(error);
  for (const name of ["adapter", "standby", "mock-erp"])
    console.error(readFileSync(join(parts.folder, `${name}.log`), "utf8").slice(-2_000));
  process.exitCode = 1;
} finally {
  await parts.stop();
}
