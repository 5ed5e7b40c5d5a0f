import { expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { UserCount } from "../kit/current-snapshot.ts";
import { type FindSubject, noSubject } from "../operation/event-subject.ts";
import { type AnyOutcome, ok } from "../operation/outcome.ts";
import type { CallContext } from "../sdk/connector.ts";
import { bindConnectors } from "./bind-connectors.ts";

type Operate = NonNullable<ReturnType<ReturnType<typeof bindConnectors>["targets"]["get"]>>["operate"];

/** How the outbox delivers an entry with this body to a connector. */
async function deliveryTo(
  attachWorkOrder: (input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>,
  body: object,
  findSubject?: FindSubject,
) {
  const connector = { operations: { attachWorkOrder } };
  const { config } = await loadConfig({ env: {}, cwd: import.meta.dirname });
  const { targets } = bindConnectors({
    config: { ...config, events: { ...config.events, to: "erp" } },
    opened: new Map([["erp", { connector }]]),
    base: { queries: connector, isBooked: false, target: undefined },
    users: new UserCount(),
    read: {},
    guard: () => connector.operations,
    findSubject,
    // Only what the delivery of one entry needs.
  } as unknown as Parameters<typeof bindConnectors>[0]);
  const text = JSON.stringify({ workOrderNumber: "WO-1", containerCode: "C-1", ...body });
  const entry = { topic: "attachWorkOrder", body: text, payload: null, acceptLanguage: null, suspectOf: null };
  return async (signal: AbortSignal) =>
    await targets.get("erp")?.operate(...([entry, signal] as unknown as Parameters<Operate>));
}

test("a long entry whose delivery was given up while it was parsed is not sent", async () => {
  let calls = 0;
  const lines = Array.from({ length: 100_000 }, (_, line) => line);
  const attach = () => {
    calls++;
    return ok(null);
  };
  const deliver = await deliveryTo(attach, { lines });
  const stop = new AbortController();
  const delivery = deliver(stop.signal);
  stop.abort(new Error("taken over"));
  await expect(delivery).rejects.toThrow("taken over");
  expect(calls).toBe(0);
  await deliver(new AbortController().signal);
  expect(calls).toBe(1);
});

test("an entry whose delivery was given up while its order was looked up is not sent", async () => {
  const stop = new AbortController();
  let sent = 0;
  const attach = async (input: unknown, { findSubject }: CallContext) => {
    await findSubject?.(input);
    sent++;
    return ok(null);
  };
  const findSubject = async () => {
    stop.abort(new Error("taken over"));
    return noSubject;
  };
  const deliver = await deliveryTo(attach, {}, findSubject);
  await expect(deliver(stop.signal)).rejects.toThrow("taken over");
  expect(sent).toBe(0);
});
