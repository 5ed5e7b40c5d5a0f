import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ConfigError } from "../document/config-error.ts";
import { loadConfig } from "../load-config.ts";

async function load(text: string, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), text);
  return loadConfig({ env, cwd: folder });
}
const variable = (name: string) => `\${${name}}`;
const problemsOf = async (text: string): Promise<string[]> => {
  const error = await load(text).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error("it was taken");
  return error.problems.map(({ line, text: problemText }) => `${line}: ${problemText}`);
};

test("secrets come from the environment, a port from there is a number, and none is ever shown", async () => {
  const server = `host: h, port: "${variable("P")}", username: u, password: "${variable("S")}"`;
  const text = `alarms: { email: { ${server}, from: a@b.c, to: [d@e.f] } }`;
  const { config, redact } = await load(text, { P: "2525", S: "hunter2-secret" });
  expect(config.alarms.email).toMatchObject({ port: 2525, password: "hunter2-secret", security: "starttls" });
  expect(redact("it was hunter2-secret")).toBe("it was ***");
});

test("a source that can never send is reported as a mistake, with those that can", async () => {
  const text = ["alarms:", "  silence:", "    - { expect: workOrders, of: shpo, minutes: 5 }", "senders: {}"].join(
    "\n",
  );
  expect(await problemsOf(text)).toEqual([
    expect.stringContaining('3: alarms.silence[0].of: nothing can ever arrive from "shpo"'),
  ]);
  expect(await problemsOf(text.replace("workOrders, of: shpo", "requests, of: listOrders"))).toHaveLength(1);
  await load(text.replace("workOrders, of: shpo", "requests, of: listWorkOrders"));
  await load(text.replace("shpo", "key"));
});

test("a password without TLS, an incomplete login, an invalid date and an invalid address are reported", async () => {
  const text = `alarms:
  publicUrl: adapter.example
  expiries: [{ name: licence, lastDay: 2027-02-30 }]
  webhook: { url: "ftp://x" }
  email: { host: mail.example, security: none, username: u, password: p, from: me, to: [it@example.com] }
`;
  expect((await problemsOf(text)).map((problem) => problem.replace(/^(\d+: \S+).*$/, "$1"))).toEqual([
    "2: alarms.publicUrl:",
    "3: alarms.expiries[0].lastDay:",
    "4: alarms.webhook.url:",
    "5: alarms.email.security:",
    "5: alarms.email.from:",
  ]);
  const half = "alarms: { email: { host: h, username: u, from: a@b.c, to: [d@e.f] } }";
  expect(await problemsOf(half)).toEqual([expect.stringContaining("username and password must be given together")]);
});
