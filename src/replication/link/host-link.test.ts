import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { hostLink } from "./host-link.ts";
import type { FromLink, ToLink } from "./link-messages.ts";

const owner = { deployment: "north", epoch: 1, leaseMs: 60_000 };

/** A link whose statements are run by this function. */
function linkWith(request: () => Promise<never>) {
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
      callState: new SharedArrayBuffer(8),
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
