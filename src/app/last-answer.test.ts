import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadConfig } from "../config/load-config.ts";
import { operations } from "../contract/operations.ts";
import { silentLog } from "../kit/log.ts";
import { integer, nullable, row } from "../kit/sqlite/row.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { start } from "./start.ts";

const body = JSON.stringify({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 });
const headers = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
const placement = `POST ${operations.confirmPutWallPlacement.path} HTTP/1.1\r\n${headers}\r\n${body}`;

/**
 * Another process may go on with the journal. It does not have the notes of this folder, so an equal second piece would
 * count as a retry of the last one, and be missing.
 */
test("the mark of the last answer is in the journal when the adapter closes as soon as it is written", async () => {
  const { config, settings, describe } = await loadConfig({
    env: { CROSSDOCK_SAMPLE: "false" },
    cwd: temporaryFolder(),
  });
  let handle: RequestListener = () => {};
  let begun = () => {};
  const listener = createServer((request, response) => {
    handle(request, response);
    begun();
  });
  onTestFinished(() => void listener.close().closeAllConnections());
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  // A server on a port has an address of this kind.
  const { port } = listener.address() as AddressInfo;
  const mount = {
    waitMs: 0,
    listening: async () => `http://127.0.0.1:${port}`,
    serve: (serving: RequestListener) => {
      handle = serving;
    },
    leave: () => {},
    opened: () => {},
  };
  const adapter = await start({ config, describe, settings: { ...settings, apiKey: "k" }, log: silentLog, mount });
  const caller = connect(port, "127.0.0.1");
  onTestFinished(() => void caller.destroy());
  const closed = new Promise<void>((resolve, reject) => {
    begun = () => void adapter.close().then(resolve, reject);
  });
  caller.write(placement);
  await closed;
  const database = openDatabase(join(settings.dataFolder, "crossdock.db"), { readOnly: true });
  onTestFinished(() => database.close());
  const entries = database.query("SELECT answered_at FROM entry", row({ answered_at: nullable(integer) })).all();
  expect(entries).toEqual([{ answered_at: expect.any(Number) }]);
});
