import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

async function run(...argv: string[]): Promise<{ code: number; printed: string }> {
  const printed: string[] = [];
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    complain: () => {},
    isInteractive: false,
    colour: false,
    env: {},
    cwd: ".",
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  return { code: await main(argv, terminal), printed: printed.join("\n") };
}

test("crossdock openapi prints the document in docs", async () => {
  const { code, printed } = await run("openapi");
  expect(code).toBe(0);
  expect(`${printed}\n`).toBe(readFileSync("docs/reference/openapi.json", "utf8"));
});

test("crossdock openapi writes the address it is given into the document", async () => {
  const { printed } = await run("openapi", "--server-url", "https://adapter.example.com/wms");
  expect(JSON.parse(printed).servers).toEqual([{ url: "https://adapter.example.com/wms" }]);
});
