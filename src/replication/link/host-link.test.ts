import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { hostLink } from "./host-link.ts";
import type { FromLink, ToLink } from "./link-messages.ts";

const owner = { deployment: "north", epoch: 1, leaseMs: 60_000 };

/** A link whose statements are run by this function. */
function linkWith(request: ReconnectingClient["request"]) {
  const [outer, inner] = [new MessageChannel(), new MessageChannel()];
  const said: FromLink[] = [];
  outer.port1.on("message", (message: FromLink) => said.push(message));
  onTestFinished(() => {
    outer.port1.close();
    inner.port1.close();
  });
  const ended = hostLink(
    {
      deployment: "north",
      control: outer.port2,
      port: inner.port2,
      callState: new SharedArrayBuffer(4),
      renewedAt: new SharedArrayBuffer(8),
      patienceMs: 1_000,
    },
    request,
  );
  return { said, ended, tell: (message: ToLink) => outer.port1.postMessage(message) };
}

test("a link that fails in a way that nothing expects loses its own deployment only", async () => {
  const { said, ended } = linkWith(() => {
    throw new Error("not a rejection");
  });
  await ended;
  await expect.poll(() => said).toEqual([{ lost: expect.stringContaining("not a rejection") }, "ended"]);
});

test("a message that a link does not understand loses its own deployment only", async () => {
  const { said, tell } = linkWith(async () => true as never);
  tell({ begin: owner });
  await expect.poll(() => said).toContain("ready");
  tell(null as never);
  await expect.poll(() => said.at(-1)).toMatchObject({ lost: expect.stringContaining("link to PostgreSQL failed") });
  tell("end");
  await expect.poll(() => said.at(-1)).toBe("ended");
});

/** A PostgreSQL that can be silent, and in which another process may own the deployment. */
function postgres() {
  const state = { isSilent: false, isTaken: false };
  const query = async () => ({ rowCount: state.isTaken ? 0 : 1 });
  const { said, tell } = linkWith(async (work) => {
    if (state.isSilent) throw new Error("no answer");
    // The renewal uses nothing else of a connection.
    return await work({ query } as never);
  });
  tell({ begin: { ...owner, leaseMs: 2_000 } });
  return { state, said, tell };
}

test("an owner that is late goes on if nobody has taken the deployment over", async () => {
  const { state, said, tell } = postgres();
  await expect.poll(() => said).toContain("ready");
  state.isSilent = true;
  await expect.poll(() => said, { interval: 5 }).toContain("paused");
  state.isSilent = false;
  await expect.poll(() => said.slice(-2)).toEqual(["paused", "resumed"]);
  tell("end");
});

test("an owner that is late loses the deployment if another process has taken it over", async () => {
  const { state, said, tell } = postgres();
  await expect.poll(() => said).toContain("ready");
  state.isSilent = true;
  await expect.poll(() => said, { interval: 5 }).toContain("paused");
  Object.assign(state, { isSilent: false, isTaken: true });
  await expect.poll(() => said.at(-1)).toMatchObject({ lost: expect.stringContaining("taken over") });
  expect(said).not.toContain("resumed");
  tell("end");
});

test("an owner that cannot renew its lease at all loses the deployment", async () => {
  const { state, said, tell } = postgres();
  await expect.poll(() => said).toContain("ready");
  state.isSilent = true;
  await expect.poll(() => said.at(-1)).toMatchObject({ lost: expect.stringContaining("could not be renewed") });
  tell("end");
});
