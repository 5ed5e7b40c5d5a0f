import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { hostLink } from "./host-link.ts";
import { type FromLink, noteRenewed, type ToLink } from "./link-messages.ts";

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
  const renewedAt = new SharedArrayBuffer(8);
  const ended = hostLink(
    {
      deployment: "north",
      control: outer.port2,
      port: inner.port2,
      callState: new SharedArrayBuffer(8),
      renewedAt,
      patienceMs: 1_000,
    },
    request,
  );
  return { said, ended, renewedAt, tell: (message: ToLink) => outer.port1.postMessage(message) };
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

test("a link whose writer renews the lease itself uses its own connection now and then", async () => {
  let statements = 0;
  const { said, tell, renewedAt } = linkWith(async () => {
    statements++;
    return true as never;
  });
  tell({ begin: { ...owner, leaseMs: 100 } });
  await expect.poll(() => said).toContain("ready");
  // The lease never seems old, as if the writer renewed it at every moment.
  noteRenewed(renewedAt, process.hrtime.bigint() + 3_600_000_000_000n);
  const atFirst = statements;
  await expect.poll(() => statements, { timeout: 10_000 }).toBeGreaterThan(atFirst);
  tell("end");
  await expect.poll(() => said.at(-1)).toBe("ended");
});
