import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { givenApiKey } from "./given-api-key.ts";
import { main } from "./main.ts";

const terminal = (env: Record<string, string>, cwd = temporaryFolder()) => ({
  ...{ print: () => {}, complain: () => {}, isInteractive: false, colour: false, env, cwd },
  untilStopped: () => new Promise<never>(() => {}),
});

test("a typed key counts, then that of the variable or of the file it names", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "the-key"), "of-the-file\n");
  expect(await givenApiKey("typed", terminal({ CROSSDOCK_API_KEY: "of-the-variable" }))).toBe("typed");
  expect(await givenApiKey(undefined, terminal({ CROSSDOCK_API_KEY: "of-the-variable" }))).toBe("of-the-variable");
  expect(await givenApiKey(undefined, terminal({ CROSSDOCK_API_KEY_FILE: "the-key" }, cwd))).toBe("of-the-file");
  expect(await givenApiKey(undefined, terminal({ CROSSDOCK_API_KEY: " " }))).toBeUndefined();
});

test.each([
  [["conform", "http://127.0.0.1:1"]],
  [["simulate", "http://127.0.0.1:1"]],
  [["journal", "list", "--url", "http://127.0.0.1:1"]],
])("%j names the file of the key that cannot be read", async (argv) => {
  const complained: string[] = [];
  const code = await main(argv, {
    ...terminal({ CROSSDOCK_API_KEY_FILE: "nowhere" }),
    complain: (text) => void complained.push(text),
  });
  expect(code).toBe(1);
  expect(complained.join("\n")).toMatch(/CROSSDOCK_API_KEY_FILE: the file cannot be read/);
});
