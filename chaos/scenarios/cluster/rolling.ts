import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineScenario } from "../../harness/scenario.ts";
import { startPostgres } from "../../harness/service/postgres.ts";
import { type Service, startService } from "../../harness/service/service.ts";
import type { Stage } from "../../harness/stage.ts";
import { pause, waitUntil } from "../../harness/wait.ts";

const processes = ["a", "b", "c"] as const;
/** The number of requests at the same time, over all deployments. */
const callers = 6;
const servedWithinMs = 180_000;
const retryMs = 200;

/**
 * Like an upgrade: every process is stopped and started again, one after the other, and the platform calls the others.
 */
export const clusterRolling = defineScenario({
  name: "cluster-rolling",
  summary:
    "Three processes with many deployments are stopped and started again one after the other under load: no request to the others fails, and nothing acknowledged is lost.",
  // Without pauses the requests would take the processor time that the restarts need.
  full: { cycles: 200, deployments: 60, patienceMs: 0, paceMs: 50 },
  // How soon another process has taken over depends on the machine. A sender that is asked to come back does so.
  short: { cycles: 1, deployments: 3, patienceMs: 120_000, paceMs: 50 },
  run: async ({ cycles, deployments, patienceMs, paceMs }, stage) => {
    const { url: store } = await startPostgres(stage);
    const names = Array.from({ length: deployments }, (_, nth) => `site-${nth + 1}`);
    const start = (name: string) =>
      startService({ stage, folder: folderOf(stage, name, names), config: many(store, deployments) });
    const running = new Map<string, Service>();
    for (const name of processes) running.set(name, await start(name));
    let stopping: string | null = null;
    let isOver = false;
    let sent = 0;
    const acknowledged = new Map(names.map((name) => [name, new Set<string>()]));
    const failed: string[] = [];
    const waits: number[] = [];
    /** Acts as a load balancer that knows which process is being stopped. */
    const target = () => {
      const free = processes.filter((name) => name !== stopping);
      return free[Math.floor(stage.random.below(free.length))] ?? "a";
    };
    const call = async () => {
      while (!isOver) {
        if (paceMs > 0) await pause(paceMs);
        const name = names[Math.floor(stage.random.below(names.length))] ?? "";
        const number = `O-${++sent}`;
        const sentAt = performance.now();
        let to = target();
        let answer = await push(`${running.get(to)?.url}/${name}`, number);
        while (answer.status === 503 && performance.now() - sentAt < patienceMs) {
          await pause(retryMs);
          to = target();
          answer = await push(`${running.get(to)?.url}/${name}`, number);
        }
        const tookMs = Math.round(performance.now() - sentAt);
        waits.push(tookMs);
        if (answer.status === 202) {
          acknowledged.get(name)?.add(number);
          continue;
        }
        const cause = causeIn(running.get(to)?.output() ?? "", answer.text);
        failed.push(`${name} ${number} at ${to} after ${tookMs} ms: ${answer.status} ${answer.text}${cause}`);
        stage.say(`failed while ${stopping} is restarted: ${failed.at(-1)}`);
      }
    };
    // Every deployment is open somewhere before the first restart.
    for (const name of names) {
      const { status } = await push(`${running.get(target())?.url}/${name}`, "O-0");
      if (status === 202) acknowledged.get(name)?.add("O-0");
    }
    const load = Array.from({ length: callers }, call);
    let restarts = 0;
    for (const cycle of stage.rounds({ most: cycles })) {
      for (const name of processes) {
        stopping = name;
        // Requests that were sent to it before may still be on their way.
        await pause(50);
        await running.get(name)?.end("SIGTERM");
        running.set(name, await start(name));
        stopping = null;
      }
      restarts = cycle;
      const longestMs = Math.max(0, ...waits);
      stage.say(
        `${cycle} rolling restarts, ${sent.toLocaleString("en")} requests, ${failed.length} failed, longest ${longestMs} ms`,
      );
    }
    isOver = true;
    await Promise.all(load);
    const lost: string[] = [];
    for (const name of names) {
      const stored = await storedOrders(`${running.get("a")?.url}/${name}`);
      for (const number of acknowledged.get(name) ?? []) if (!stored.has(number)) lost.push(`${name} ${number}`);
    }
    const none = { at: "most", limit: 0 } as const;
    const count = [...acknowledged.values()].reduce((sum, numbers) => sum + numbers.size, 0);
    return {
      deployments,
      figures: [
        { what: "rolling restarts of three processes", value: restarts, unit: "", bar: { at: "least", limit: cycles } },
        { what: "deployments", value: deployments, unit: "" },
        { what: "acknowledged events", value: count, unit: "" },
        {
          what: "requests that waited for a second or more",
          value: waits.filter((ms) => ms >= 1_000).length,
          unit: "",
        },
        { what: "longest wait for an answer", value: Math.max(...waits), unit: "ms" },
        { what: "failed requests", value: failed.length, unit: "", bar: none },
        { what: "lost", value: lost.length, unit: "", bar: none },
      ],
      violations: [
        ...(failed.length === 0 ? [] : [`a request failed: ${failed.slice(0, 5).join(", ")}`]),
        ...(lost.length === 0 ? [] : [`acknowledged and not there: ${lost.slice(0, 5).join(", ")}`]),
      ],
    };
  },
});

const key = "key-of-a-deployment";
/** All of them are in use, so all may be open: otherwise each request would close another deployment. */
const many = (store: string, mostOpen: number) => ({
  ...{ events: undefined, connectors: undefined, store },
  deployments: { folder: "sites", mostOpen },
});

function folderOf(stage: Stage, name: string, deployments: readonly string[]): string {
  const folder = stage.folder(name);
  for (const deployment of deployments) {
    const site = join(folder, "sites", deployment);
    mkdirSync(site, { recursive: true });
    writeFileSync(join(site, "crossdock.yaml"), "{}");
    writeFileSync(join(site, ".env"), `CROSSDOCK_API_KEY=${key}-${deployment}\n`);
  }
  return folder;
}

/** The status is 0 if there was no answer. The text says why a request failed. */
async function push(url: string, number: string): Promise<{ readonly status: number; readonly text: string }> {
  const deployment = url.slice(url.lastIndexOf("/") + 1);
  const order = { number, dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  try {
    const response = await fetch(`${url}/inbound/work-orders`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": `${key}-${deployment}` },
      body: JSON.stringify(order),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    // The client names the cause of a lost connection apart from the error itself.
    return { status: 0, text: String((error as Error).cause ?? error) };
  }
}

/** What the log of the process says about the reference in an answer; empty if it says nothing. */
function causeIn(log: string, answer: string): string {
  const reference = /"traceId":"(\w+)"/.exec(answer)?.[1];
  const line = reference === undefined ? undefined : log.split("\n").find((one) => one.includes(reference));
  return line === undefined ? "" : `; its log: ${line}`;
}

async function storedOrders(url: string): Promise<Set<string>> {
  let found = new Set<string>();
  const read = async () => {
    const response = await fetch(`${url}/WorkOrders`);
    // The answer has a list. It is null while the deployment is being taken over.
    const { data } = (await response.json()) as { data: { number: string }[] | null };
    found = new Set(data?.map(({ number }) => number));
    return data !== null;
  };
  await waitUntil(() => read().catch(() => false), { withinMs: servedWithinMs, everyMs: 200 });
  return found;
}
