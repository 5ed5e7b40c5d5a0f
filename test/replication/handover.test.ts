import { get } from "node:http";
import { expect, test } from "vitest";
import type { OwnerRoles } from "../../src/app/replicated/start-replicated.ts";
import { peerGroup } from "../peers/peer.ts";
import { newDeployment, urlOf } from "./deployment.ts";
import { apiKey, orderNumbers, pushOrder, startSharing } from "./replicated-adapter.ts";

await peerGroup("postgres", "handing a deployment over", (address) => {
  const store = urlOf(address);

  test("while the owner stops and its successor starts, the successor's address answers every request", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    const standby = await startSharing({ store, deployment });
    const failures: unknown[] = [];
    let answered = 0;
    let isOver = false;
    const caller = async () => {
      while (!isOver) {
        try {
          const response = await fetch(`${standby.url}/Status`);
          if (response.ok) answered++;
          else failures.push(response.status);
          await response.arrayBuffer();
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const callers = [caller(), caller(), caller()];
    await expect.poll(() => answered).toBeGreaterThan(10);
    await owner.close();
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    const before = answered;
    await expect.poll(() => answered).toBeGreaterThan(before + 10);
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
  });

  test("a process that is about to stop and has released a deployment serves what nobody else was asked for", async () => {
    const deployment = newDeployment();
    let isLeaving = false;
    // As one of many: what is opened by requests alone is not followed by any other process.
    const roles = { isLeaving: () => isLeaving, mayOwn: (ms: number) => !isLeaving || ms > 500 };
    const leaving = await startSharing({ store, deployment, roles });
    expect(leaving.role()).toBe("owner");
    isLeaving = true;
    leaving.handOver();
    await expect.poll(() => leaving.role(), soon).toBe("standby");
    // Asked before it was known that the process stops.
    expect(await pushOrder(leaving.url, "4711")).toBe(202);
    expect(await orderNumbers(leaving.url)).toEqual(["4711"]);
  });

  test("what the console of the owner changed is in effect when the process owns the deployment again", async () => {
    const deployment = newDeployment();
    const [one, other] = [await startSharing({ store, deployment }), await startSharing({ store, deployment })];
    const admin = async (route: string, body?: object) => {
      const headers = { "content-type": "application/json", "x-api-key": apiKey };
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      // It has this member, as the routes of the console describe it.
      return (await (await fetch(`${one.url}/admin/config${route}`, { headers, ...sent })).json()) as {
        version: string;
      };
    };
    const shopKey = "shop-key-0123456789";
    const changes = [{ path: ["senders", "shop"], value: { auth: { kind: "apiKey", keys: [shopKey] } } }];
    const { version } = await admin("");
    await admin("/apply", { changes, version, operator: "kim", reason: "a new shop" });
    expect(await pushOrder(one.url, "4711", shopKey)).toBe(202);
    for (const [former, next] of [
      [one, other],
      [other, one],
    ] as const) {
      await expect.poll(() => roleAfterHandOver(former, next), soon).toBe("owner");
    }
    expect(await pushOrder(one.url, "4712", shopKey)).toBe(202);
  });

  test("a process listens while its role changes: every new connection is accepted and answered", async () => {
    const deployment = newDeployment();
    const [one, other] = [await startSharing({ store, deployment }), await startSharing({ store, deployment })];
    const failures: unknown[] = [];
    let answered = 0;
    let isOver = false;
    const caller = async (url: string) => {
      while (!isOver) {
        const status = await statusOf(`${url}/Status`).catch((error: unknown) => error);
        if (status === 200) answered++;
        else failures.push(status);
      }
    };
    const callers = [one, other].flatMap(({ url }) => [caller(url), caller(url)]);
    let owner = one;
    for (let changes = 0; changes < 4; changes++) {
      const next = owner === one ? other : one;
      await expect.poll(() => next.isWarm(), soon).toBe(true);
      const former = owner;
      await expect.poll(() => roleAfterHandOver(former, next), soon).toBe("owner");
      await expect.poll(() => former.isCaughtUp(), soon).toBe(true);
      owner = next;
      const before = answered;
      await expect.poll(() => answered, soon).toBeGreaterThan(before + 10);
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
  });
});

const soon = { timeout: 60_000 };

/** Hands over as often as needed: either of the two may be the first to claim a deployment that has no owner. */
function roleAfterHandOver(former: OwnerRoles, next: OwnerRoles): string {
  if (former.role() === "owner" && next.isWarm()) former.handOver();
  return next.role();
}

/** Over a new connection. */
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: false }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode))).on(
      "error",
      reject,
    );
  });
