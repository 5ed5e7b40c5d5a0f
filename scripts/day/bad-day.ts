import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "../../src/contract/derive/client.ts";
import { startParts } from "./bad-day-parts.ts";
import { dashboardQueries, queryPrometheus } from "./query-prometheus.ts";

const { values } = parseArgs({
  options: { help: { type: "boolean", short: "h" }, "real-times": { type: "boolean", default: false } },
});
if (values.help) {
  console.log(`npm run test:bad-day -- [--real-times]

The parts of deploy/container/compose.yaml as processes (adapter, PostgreSQL, Prometheus, mock ERP), and a bad day: the ERP is down, the disk is nearly
full, an event is refused. Each is seen in the queries of the dashboard, as an alert of the real Prometheus, and in what the console shows; then mended.

  --real-times  alerts wait as long as deploy/prometheus says (about 10 minutes); otherwise a minute of "for" is a second`);
  process.exit(0);
}

const patienceMs = values["real-times"] ? 15 * 60_000 : 120_000;
const parts = await startParts({ quick: !values["real-times"] });
const { url, key, crossdock } = parts;
const prometheus = queryPrometheus(parts.prometheus);
const client = createClient({ baseUrl: url, apiKey: key });
const headers = { authorization: `Bearer ${key}` };
const admin = async (path: string): Promise<unknown> => (await fetch(url + path, { headers })).json();
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
  await untilSo("Prometheus reads it", since, async () => (await panel("Processes that answer")) === 1);
  await untilSo("everything is delivered", since, async () => (await panel("Waiting events")) === 0);
  const quiet = await prometheus.ask('ALERTS{alertstate="firing"}');
  if (quiet.length > 0) throw new Error(`alerts fire on a quiet morning: ${JSON.stringify(quiet)}`);

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
  since = Date.now();
  const listed = crossdock("journal", "list", "--state", "dead", "--json");
  const [, seq = ""] = /"seq": (\d+)/.exec(listed) ?? [];
  crossdock("journal", "skip", seq, "--reason", "there is no such order", "--as", "it");
  await untilSo("mended: the alert has ended", since, async () => !(await firing("CrossdockDeliveryFailed")));

  const empty: string[] = [];
  for (const { title, query } of dashboardQueries()) {
    if ((await prometheus.ask(query)).length === 0) empty.push(title);
  }
  console.log(
    `All ${dashboardQueries().length} queries of the dashboard were answered; without a value: ${empty.join(", ") || "none"}`,
  );
} catch (error) {
  console.error(error);
  for (const name of ["adapter", "mock-erp"])
    console.error(readFileSync(join(parts.folder, `${name}.log`), "utf8").slice(-2_000));
  process.exitCode = 1;
} finally {
  await parts.stop();
}
