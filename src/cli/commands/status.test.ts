import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { atTerminal } from "../../../test/replication/commands/at-terminal.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { writeAdapterFile } from "../../app/adapter-file.ts";

async function statusOf(ready: object): Promise<string> {
  const cwd = temporaryFolder();
  const server = createServer((_, answer) => void answer.end(JSON.stringify(ready))).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  writeAdapterFile(cwd, { url: `http://127.0.0.1:${port}`, pid: process.pid });
  return (await atTerminal(cwd, ["status", "--data", cwd])).out;
}

test("an adapter whose PostgreSQL only the service knows is not said to have none", async () => {
  const owner = await statusOf({ ready: true, reasons: [], owner: { deployment: "north", epoch: 3 } });
  expect(owner).toMatch(/Here +the owner at /);
  expect(owner).toMatch(/Store +a PostgreSQL whose address this command does not have: set CROSSDOCK_STORE/);
  expect(await statusOf({ ready: true, reasons: [] })).toMatch(/Store +the data folder alone/);
});
