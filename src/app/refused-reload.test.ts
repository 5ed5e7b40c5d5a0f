import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startAdapter } from "../../test/support/adapter/adapter.ts";
import { moduleFile } from "../../test/support/connectors/module-file.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ConfigError } from "../config/document/config-error.ts";
import { type Log, silentLog } from "../kit/log.ts";

test("a reload that is refused because a connector cannot be opened changes no log level", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, "");
  writeFileSync(path, readFileSync(path, "utf8").replace("state.opened.push(name);", 'throw new Error("not today");'));
  const lines: string[] = [];
  const debug: Log["debug"] = (_fields, text) => void lines.push(text);
  const log: Log = { ...silentLog, debug };
  const { reload, close } = await startAdapter({ folder, log, config: { logLevel: "warn" } });
  const refused = { logLevel: "debug", connectors: { erp: { type: "module", path } } };
  await expect(reload(refused)).rejects.toThrow(/not today/);
  await expect(reload(refused)).rejects.toThrow(ConfigError);
  await close();
  expect(lines).toEqual([]);
});
