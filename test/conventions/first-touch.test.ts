import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:https";
import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { banner } from "../../src/app/console-output/banner.ts";
import { adminClient } from "../../src/cli/admin-client.ts";
import { authority, pemOf } from "../support/receivers/certificates.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const crossdock = (...args: string[]) =>
  spawnSync(process.execPath, [resolve(root, "bin/crossdock.js"), ...args], {
    ...{ cwd: temporaryFolder(), encoding: "utf8", timeout: 100_000 },
  });

test("-h says the same as --help, of the program and of a command", { timeout: 240_000 }, () => {
  for (const command of [[], ["journal", "list"]]) {
    const long = crossdock(...command, "--help");
    expect(long.status).toBe(0);
    expect(long.stdout).toContain("Usage: crossdock");
    expect(crossdock(...command, "-h")).toMatchObject({ status: 0, stdout: long.stdout });
  }
});

test("a new API key is printed on a terminal only, never into a pipe or a log", () => {
  const facts = {
    ...{ version: "1.2.3", url: "http://127.0.0.1:8080", dataFolder: "/srv/data", configFile: null },
    apiKey: { key: "cd_secret", isNew: true, file: "/srv/data/api-key" },
  };
  expect(banner(facts, { colour: false, isInteractive: true })).toContain("cd_secret");
  const piped = banner(facts, { colour: false, isInteractive: false });
  expect(piped).not.toContain("cd_secret");
  expect(piped).toContain("/srv/data/api-key");
});

test("a certificate of an unknown issuer is called that, and not an adapter that is not running", async () => {
  const { cert, key } = authority(temporaryFolder()).issue("server", { alternatives: "IP:127.0.0.1", use: "server" });
  const server = createServer({ cert: pemOf(cert), key: pemOf(key) }, (_request, response) => response.end("{}"));
  onTestFinished(() => void server.close());
  const port = await new Promise<number>((listening) => {
    server.listen(0, "127.0.0.1", () => listening(Number(Reflect.get(Object(server.address()), "port"))));
  });
  const asked = adminClient({ url: `https://127.0.0.1:${port}`, key: "k" }).get("/admin/targets");
  await expect(asked).rejects.toThrow(`the certificate of https://127.0.0.1:${port} is not trusted`);
});

test("the package brings its documentation and the schema of the configuration", () => {
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    ...{ cwd: root, encoding: "utf8", shell: process.platform === "win32", stdio: ["ignore", "pipe", "ignore"] },
  });
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...["README.md", "CHANGELOG.md", "LICENSE", "bin/crossdock.js"],
      ...[
        "docs/how-to/operate.md",
        "docs/how-to/backup.md",
        "docs/reference/configuration.md",
        "docs/reference/openapi.json",
        "docs/reference/crossdock.schema.json",
      ],
    ]),
  );
  expect(paths.filter((path) => /^(test|chaos|bench)\//.test(path))).toEqual([]);
});

test("a checkout has the same line breaks on every system, whatever its Git is set to", () => {
  const listed = execFileSync("git", ["ls-files", "--eol", "-z"], { cwd: root, encoding: "utf8" });
  const files = listed.split("\0").flatMap((line) => /^i\/(\S*) +w\/\S* +attr\/(.*?) *\t(.*)$/.exec(line) ?? []);
  const rows = Array.from({ length: files.length / 4 }, (_, index) => files.slice(index * 4 + 1, index * 4 + 4));
  expect(rows.length).toBeGreaterThan(1000);
  // Git would change the line breaks of a text that has none of these.
  const isKept = ([stored = "", attributes = ""]: string[]) =>
    attributes.includes("eol=lf") ? stored !== "crlf" && stored !== "mixed" : attributes === "-text";
  expect(rows.filter((row) => !isKept(row))).toEqual([]);
});
