import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";

const built = resolve(import.meta.dirname, "../../../dist/console");

test("the console is served as it was built: its page, every file that the page names, and every language", async ({
  skip,
}) => {
  skip(!existsSync(built), "the console is not built (npm run build:console)");
  const { url } = await startAdapter();
  const answer = await fetch(`${url}/console/orders`);
  const page = await answer.text();
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  const base = new URL(/<base href="([^"]+)"/.exec(page)?.[1] ?? "", answer.url);
  const named = [...page.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, path = ""]) => new URL(path, base));
  expect(named.map(({ pathname }) => pathname.split(".").at(-1)).toSorted()).toEqual(["css", "js", "svg"]);
  const scripts = readdirSync(join(built, "assets")).filter((name) => name.endsWith(".js"));
  // The page's own, and one for each language but English.
  expect(scripts).toHaveLength(7);
  for (const file of [...named, ...scripts.map((name) => new URL(`assets/${name}`, base))]) {
    const { status, headers } = await fetch(file);
    expect([file.pathname, status]).toEqual([file.pathname, 200]);
    if (file.pathname.endsWith(".js")) expect(headers.get("content-type")).toContain("javascript");
  }
});
