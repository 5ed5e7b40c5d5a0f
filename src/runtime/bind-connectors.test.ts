import { expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { UserCount } from "../kit/current-snapshot.ts";
import { ok } from "../operation/outcome.ts";
import { bindConnectors } from "./bind-connectors.ts";

test("a long entry whose delivery was given up while it was parsed is not sent", async () => {
  let calls = 0;
  const connector = {
    operations: {
      attachWorkOrder: () => {
        calls++;
        return ok(null);
      },
    },
  };
  const { config } = await loadConfig({ env: {}, cwd: import.meta.dirname });
  const { targets } = bindConnectors({
    config: { ...config, events: { ...config.events, to: "erp" } },
    opened: new Map([["erp", { connector }]]),
    base: { queries: connector, isBooked: false, target: undefined },
    users: new UserCount(),
    read: {},
    guard: () => connector.operations,
    // Only what the delivery of one entry needs.
  } as unknown as Parameters<typeof bindConnectors>[0]);
  const lines = Array.from({ length: 100_000 }, (_, line) => line);
  const body = JSON.stringify({ workOrderNumber: "WO-1", containerCode: "C-1", lines });
  const entry = { topic: "attachWorkOrder", body, payload: null, acceptLanguage: null, suspectOf: null };
  const given = (signal: AbortSignal) =>
    [entry, signal] as unknown as Parameters<NonNullable<ReturnType<typeof targets.get>>["operate"]>;
  const stop = new AbortController();
  const delivery = targets.get("erp")?.operate(...given(stop.signal));
  stop.abort(new Error("taken over"));
  await expect(delivery).rejects.toThrow("taken over");
  expect(calls).toBe(0);
  await targets.get("erp")?.operate(...given(new AbortController().signal));
  expect(calls).toBe(1);
});
