import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { silentLog } from "../kit/log.ts";
import { connectorStates } from "./connector-state.ts";

test("connector state survives a restart, and each connector reads only its own", async () => {
  const folder = temporaryFolder();
  const before = connectorStates({ dataFolder: folder, log: silentLog });
  await before.of("erp").write("cursor", "41");
  await before.of("erp").write("cursor", "42");
  await before.of("shop").write("cursor", "7");
  before.close();
  const after = connectorStates({ dataFolder: folder, log: silentLog });
  expect(after.of("erp").read("cursor")).toBe("42");
  expect(after.of("shop").read("cursor")).toBe("7");
  expect(after.of("erp").read("token")).toBeUndefined();
  after.close();
});
