import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { validateOptions } from "../../connectors/http/options/validate-options.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import { main } from "../main.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/how-to/mapping.md"), "utf8");
const block = (language: string, index = 0): string =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter((found) => found[1] === language)[index]?.[2] ?? "";

async function run(folder: string, argv: readonly string[]) {
  const out: string[] = [];
  const code = await main(argv, {
    print: (text) => out.push(text),
    complain: () => undefined,
    isInteractive: false,
    colour: false,
    env: {},
    cwd: folder,
    untilStopped: () => Promise.resolve("SIGTERM"),
  });
  return { code, out: out.join("\n") };
}

test("the commands of the mapping page do what it says", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "order.json"), block("json"));
  writeFileSync(join(folder, "erp.yaml"), block("yml"));
  const commands = [...page.matchAll(/^npx crossdock (map (?:order|--test).*)$/gm)].map(([, line = ""]) =>
    line.split(" "),
  );
  const [first, save, again] = commands;
  expect(commands).toHaveLength(3);

  const shown = await run(folder, first ?? []);
  expect(shown.code).toBe(1);
  expect(shown.out).toContain(block("text").trimEnd());
  expect(shown.out).toContain('"requestedAmount": 24');
  expect((await run(folder, save ?? [])).code).toBe(0);
  expect((await run(folder, again ?? [])).out).toMatch(/^same +two-units$/);
});

test("the mapping page shows the error of a misspelt member as it is printed", () => {
  const at = page.indexOf("connectors.erp.operations.confirmStep");
  const shown = page.slice(at, page.indexOf("```", at)).trim().replaceAll(/\s+/g, " ");
  const [path = "", rule = ""] = shown.split(": ");
  const operations = { confirmStep: { path: "/p", map: { [path.split(".").at(-1) ?? ""]: rule } } };
  const printed = validateOptions({ baseUrl: "https://erp.example.com", operations }).map(
    (problem) => `connectors.erp.${[problem.path].flat().join(".")}: ${problem.text}`,
  );
  expect(printed).toEqual([expect.stringContaining(shown)]);
});

test("the mapping page lists exactly the steps that exist", () => {
  const rows = page.slice(page.indexOf("### Steps"), page.indexOf("### Amounts")).match(/^\| `.*?\|/gm) ?? [];
  const named = new Set(rows.flatMap((row) => [...row.matchAll(/`(\w+):/g)].map(([, key = ""]) => key)));
  let known = "";
  try {
    compileMapping({ a: { from: "x", qqqqqqqqqqqq: 1 } }, { dates: { timeZone: "UTC", timeOfDay: "00:00" } });
  } catch (error) {
    known = (error as Error).message;
  }
  const steps = /there may be (.*)$/.exec(known)?.[1]?.split(", ") ?? [];
  expect([...named].toSorted()).toEqual(steps.toSorted());
});
