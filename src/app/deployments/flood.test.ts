import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { silentLog } from "../../kit/log.ts";
import { startDeployments } from "./start-deployments.ts";

/** Long enough for a busy machine. */
const waitFor = <Found>(look: () => Found | Promise<Found>) => vi.waitFor(look, { timeout: 60_000 });
/** Opening a deployment may take longer here than an event waits for it by default. */
const patient = "budgets: { eventMs: 120000 }\n";
const json = { "content-type": "application/json" };
const eventPath = "WorkOrders/CancelPutWallItem";
const body = (number: string) => JSON.stringify({ workOrderNumber: number, itemNumber: "1" });

async function begin() {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "sites"));
  writeFileSync(join(cwd, "crossdock.yaml"), "deployments:\n  folder: sites\n");
  for (const name of ["flooded", "quiet"]) writeFileSync(join(cwd, `sites/${name}.yaml`), patient);
  const { config, settings, source } = await loadConfig({ env: { PORT: "0" }, cwd });
  const { deployments } = config;
  if (deployments === undefined || source === null) throw new Error("the configuration has deployments");
  const running = await startDeployments({
    ...{ config: { ...config, deployments }, source, env: {}, cwd, log: silentLog },
    settings: { ...settings, apiKey: "key-of-the-process" },
  });
  onTestFinished(running.close);
  let sent = 0;
  const event = async (name: string): Promise<void> => {
    const request = { method: "POST", headers: json, body: body(`${name}-${++sent}`) };
    const answer = await fetch(`${running.url}/${name}/${eventPath}`, request);
    expect(await answer.json()).toMatchObject({ isResultSuccess: true });
  };
  const view = (name: string) => running.deploymentsView().find((one) => one.name === name);
  await Promise.all([event("flooded"), event("quiet")]);
  return { ...running, cwd, event, view };
}

test("while all places of one deployment are taken, its own event waits and that of another one is answered", async () => {
  const { url, event, view } = await begin();
  const text = body("slow");
  const begun: Socket[] = [];
  onTestFinished(() => {
    for (const socket of begun) socket.destroy();
  });
  const slow = () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    begun.push(socket);
    socket
      .resume()
      .write(
        `POST /flooded/${eventPath} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${text.length}\r\n\r\n${text.slice(0, 5)}`,
      );
  };
  // More and more requests that do not end, until one of them has to wait. Each is seen before more are sent: beyond
  // the most connections of one address the server would close others, such as those of the events below.
  await waitFor(() => {
    const { running = 0, waiting = 0 } = view("flooded") ?? {};
    if (running + waiting >= begun.length && waiting === 0) for (let count = 0; count < 20; count++) slow();
    expect(waiting).toBeGreaterThan(0);
  });
  let isOwnAnswered = false;
  const own = event("flooded").then(() => {
    isOwnAnswered = true;
  });
  for (let count = 0; count < 10; count++) await event("quiet");
  expect(isOwnAnswered).toBe(false);
  expect(view("quiet")).toMatchObject({ waiting: 0 });
  for (const socket of begun) socket.write(text.slice(5));
  await own;
});

test("while one deployment is flooded by events and pushes of its own, every event of another one is answered, and in about the time of its own", async () => {
  const { url, cwd, event } = await begin();
  const keyFile = join(cwd, "data/deployments/flooded/api-key");
  const key = await waitFor(() => readFileSync(keyFile, "utf8").trim());
  let isOver = false;
  const until = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  let pushed = 0;
  const push = async () => {
    const orders = Array.from({ length: 200 }, () => ({
      ...{ number: `P-${++pushed}`, dueDate: "2030-01-31" },
      requests: [{ itemNumber: "100100", requestedAmount: 2 }],
    }));
    const request = { method: "POST", headers: { ...json, "x-api-key": key }, body: JSON.stringify(orders) };
    await (await fetch(`${url}/flooded/inbound/work-orders`, request)).text();
  };
  const flood = [...Array.from({ length: 50 }, () => until(() => event("flooded"))), until(push)];
  const timed = async (name: string) => {
    const from = performance.now();
    await event(name);
    return performance.now() - from;
  };
  const took: Record<"quiet" | "flooded", number[]> = { quiet: [], flooded: [] };
  // In turns, so that both meet the same machine: the flooded one is the control.
  for (let probe = 0; probe < 15; probe++) {
    for (const name of ["quiet", "flooded"] as const) took[name].push(await timed(name));
  }
  isOver = true;
  await Promise.all(flood);
  expect(pushed).toBeGreaterThan(0);
  // Client and server share one thread here, so both wait mostly for it. A deployment behind the queue of the other one
  // would wait for fifty events each time.
  expect(median(took.quiet)).toBeLessThan(3 * median(took.flooded));
});

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
