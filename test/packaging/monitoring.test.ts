import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { panelSigns } from "../../scripts/day/panel-signs.ts";
import { freePort } from "../peers/free-port.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "deploy/prometheus");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const missing = missingProgram({ promtool: "prometheus" });
const promtool = (args: readonly string[], input?: string) =>
  spawnSync("promtool", args, { cwd: folder, encoding: "utf8", ...(input === undefined ? {} : { input }) });

// Our own files; the tests below fail if they look otherwise.
const { groups } = parse(textOf("deploy/prometheus/crossdock.rules.yml")) as {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf("deploy/grafana/crossdock.json")) as {
  panels: {
    type: string;
    title: string;
    description?: string;
    targets?: { expr: string; legendFormat: string }[];
    fieldConfig?: {
      defaults: {
        thresholds: { steps: { value: number | null }[] };
        custom?: { thresholdsStyle: { mode: string } };
      };
    };
  }[];
};
const panels = dashboard.panels.filter(({ type }) => type !== "row");
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** With the values that Grafana fills in. */
const filled = (query: string, job = "crossdock") =>
  query.replaceAll("$job", job).replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m");

let metrics = "";
beforeAll(async () => {
  const adapter = await startAdapter({ sample: true, onFinished: () => {} });
  metrics = await fetch(`${adapter.url}/metrics`).then((answer) => answer.text());
  await adapter.close();
});

const namesIn = (query: string) =>
  [...query.matchAll(/\b(?:crossdock|process)_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ""));

test("every metric that an alert or the dashboard names exists", () => {
  const known = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  expect(known.size).toBeGreaterThan(15);
  const named = [...rules.map(({ expr }) => expr), ...queries].flatMap(namesIn);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  // And nothing that is measured is left out of the dashboard.
  expect([...known].filter((name) => !queries.flatMap(namesIn).includes(name ?? ""))).toEqual([]);
});

test("Prometheus has no complaint about the metrics", ({ skip }) => {
  skip(missing !== null, missing ?? "");
  expect(promtool(["check", "metrics"], metrics)).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

test("each alert fires in one case and is quiet in another", ({ skip }) => {
  const { tests } = parse(textOf("deploy/prometheus/crossdock.rules.test.yml")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
  for (const { alert } of rules) {
    const own = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length);
    expect(own.toSorted(), alert).toEqual([0, 1]);
  }
  skip(missing !== null, missing ?? "");
  expect(promtool(["test", "rules", "crossdock.rules.test.yml"])).toMatchObject({ status: 0 });
  expect(promtool(["check", "config", "prometheus.yml"])).toMatchObject({ status: 0 });
});

test("each alert says what is wrong, what to do, and leads to a part of a page that exists", () => {
  const page = textOf("docs/how-to/monitoring.md");
  for (const { alert, annotations } of rules) {
    expect(annotations["summary"]?.length, alert).toBeGreaterThan(10);
    expect(annotations["description"]?.length, alert).toBeGreaterThan(10);
    const [, file = "", anchor] =
      /\/(docs\/how-to\/[\w-]+\.md)(?:#(.+))?$/.exec(annotations["runbook_url"] ?? "") ?? [];
    const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    if (anchor !== undefined) expect(headings, alert).toContain(anchor);
    expect(page).toContain(`\`${alert}\``);
  }
});

test("every panel of the dashboard says what it shows", () => {
  expect(panels.length).toBeGreaterThan(15);
  expect(panels.filter(({ title, description = "" }) => title === "" || description.length < 10)).toEqual([]);
});

test("for every query of every panel it is said what it shows on a bad day", () => {
  expect(Object.keys(panelSigns).toSorted()).toEqual(panels.map(({ title }) => title).toSorted());
  for (const { title, targets = [] } of panels) {
    const said = new Set(panelSigns[title]?.map(({ query = 0 }) => query));
    expect([...said].toSorted(), title).toEqual(targets.map((_, index) => index));
  }
});

test("a line across a panel is the limit of the alert on the same metric", () => {
  const lined = panels.filter(({ fieldConfig }) => fieldConfig?.defaults.custom?.thresholdsStyle.mode === "dashed");
  expect(lined.length).toBeGreaterThan(0);
  for (const { title, targets = [], fieldConfig } of lined) {
    const shown = targets.flatMap(({ expr }) => namesIn(expr));
    const limits = rules
      .filter(({ expr }) => namesIn(expr).some((name) => shown.includes(name)))
      .flatMap(({ expr }) => [...expr.matchAll(/> ([\d.]+)$/g)].map(([, limit]) => Number(limit)));
    const lines = fieldConfig?.defaults.thresholds.steps.flatMap(({ value }) => value ?? []);
    expect(lines, title).toEqual(limits);
  }
});

test("a Prometheus with these files reads the adapter, and answers every query of the dashboard", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  const adapter = await startAdapter({ sample: true });
  const own = temporaryFolder();
  const config = parse(textOf("deploy/prometheus/prometheus.yml")) as {
    global: object;
    scrape_configs: { static_configs: object[] }[];
  };
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  const [job] = config.scrape_configs;
  if (job !== undefined) job.static_configs = [{ targets: [new URL(adapter.url).host] }];
  writeFileSync(join(own, "prometheus.json"), JSON.stringify(config));
  writeFileSync(join(own, "crossdock.rules.yml"), textOf("deploy/prometheus/crossdock.rules.yml"));
  const port = await freePort();
  const args = [`--config.file=${own}/prometheus.json`, `--storage.tsdb.path=${own}/tsdb`];
  const server = spawn("prometheus", [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
  onTestFinished(
    () =>
      new Promise<void>((ended) => {
        server.once("exit", () => ended());
        server.kill();
      }),
  );
  const ask = async (query: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    // The answer of Prometheus, as far as it is looked at.
    return (await fetch(url).then(
      (answer) => answer.json(),
      () => ({}),
    )) as {
      status?: string;
      data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
  };
  await expect.poll(async () => (await ask("up")).data?.result[0]?.value[1]).toBe("1");
  for (const query of queries) expect(await ask(filled(query)), query).toMatchObject({ status: "success" });
  await expect.poll(async () => (await ask("count(crossdock_info)")).data?.result[0]?.value[1]).toBe("1");
  // The bad day of the shortest alert: the adapter is gone.
  await adapter.close();
  const pending = 'ALERTS{alertname="CrossdockDown",severity="critical"}';
  await expect.poll(async () => (await ask(pending)).data?.result.length).toBe(1);
});
