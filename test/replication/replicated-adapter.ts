import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startReplicated } from "../../src/app/replicated/start-replicated.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Log } from "../../src/kit/log.ts";
import type { ConnectorDefinition } from "../../src/sdk/connector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const apiKey = "key-of-both-processes";

/** So long that a request waits for an owner on a busy machine too. A test about budgets names its own. */
export const longBudgets = { eventMs: 60_000, stepMs: 60_000, scanMs: 60_000, listMs: 60_000 };

/** A process that shares a deployment with others, in a folder with a configuration as a person would write it. */
export async function startSharing(given: {
  readonly store: string;
  readonly deployment: string;
  readonly folder?: string;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly connector?: ConnectorDefinition;
  readonly log?: Log;
  /** As a process with many deployments decides who owns them. */
  readonly roles?: Pick<Parameters<typeof startReplicated>[0], "mayOwn" | "isLeaving">;
}) {
  const { store, deployment, folder = temporaryFolder(), connector } = given;
  writeFileSync(
    join(folder, "crossdock.yaml"),
    JSON.stringify({ deployment, store, budgets: longBudgets, ...given.config }),
  );
  const env = { PORT: "0", CROSSDOCK_SAMPLE: "false", CROSSDOCK_API_KEY: apiKey, ...given.env };
  const { config, settings, describe } = await loadConfig({ env, cwd: folder });
  const adapter = await startReplicated({
    ...{ config, settings: { ...settings, apiKey }, describe, store, ...given.roles },
    configuration: { path: join(folder, "crossdock.yaml"), source: { env, cwd: folder } },
    ...(connector === undefined ? {} : { connector }),
    ...(given.log === undefined ? {} : { log: given.log }),
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await adapter.close();
  };
  onTestFinished(close);
  return { ...adapter, close, folder };
}

export async function pushOrder(url: string, number: string, key = apiKey): Promise<number> {
  const order = { number, dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  const response = await fetch(`${url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(order),
  });
  return response.status;
}

export async function orderNumbers(url: string): Promise<string[]> {
  const response = await fetch(`${url}/WorkOrders`);
  const { data } = (await response.json()) as { data: { number: string }[] };
  return data.map(({ number }) => number).sort();
}
