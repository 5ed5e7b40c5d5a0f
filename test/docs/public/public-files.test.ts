import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { section, shownSteps } from "../../support/adapter/walkthrough.ts";

const root = resolve(import.meta.dirname, "../../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(textOf("package.json")) as {
  engines: { node: string };
  repository: { url: string };
  keywords: string[];
};

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Record<
    string,
    {
      readonly strategy: { readonly matrix: { readonly system: string[]; readonly node?: number[] } };
      readonly "timeout-minutes": number;
      readonly steps: { readonly run?: string; readonly uses?: string }[];
    }
  >;
}
const workflowFiles = readdirSync(join(root, ".github/workflows"));
// Held to what is asked of it below; the service itself checks the rest.
const workflow = (file: string) => parse(textOf(`.github/workflows/${file}`)) as Workflow;
const systems = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-latest", "windows-latest"];

test.each(workflowFiles)("the workflow %s runs on every system, may only read, and ends by itself", (file) => {
  const { permissions, jobs } = workflow(file);
  expect(permissions).toEqual({ contents: "read" });
  for (const [name, job] of Object.entries(jobs)) {
    // What is checked and published once needs no other system; what is built for users does.
    if (file !== "release.yml" || name === "packages") expect(job.strategy.matrix.system).toEqual(systems);
    expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  }
});

test("a workflow runs the README's two commands as they are written", () => {
  const runs = Object.values(workflow("readme.yml").jobs).flatMap(({ steps }) => steps.map(({ run = "" }) => run));
  for (const { command } of shownSteps(section(textOf("README.md"), "Start"))) {
    expect(runs.some((run) => run.includes(command.trim()))).toBe(true);
  }
});

test.each([
  ["test.yml", "gate"],
  ["release.yml", "check"],
])("the workflow %s runs the tests in a browser too", (file, job) => {
  const runs = workflow(file).jobs[job]?.steps.map(({ run }) => run);
  expect(runs).toEqual(expect.arrayContaining(["npm test", "npm run test:browser"]));
});

test("a workflow tests with the oldest Node line that is supported, and with a newer one", () => {
  const versions = workflow("test.yml").jobs["gate"]?.strategy.matrix.node ?? [];
  expect(versions).toEqual([24, 26]);
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${versions[0]}\\.`));
});

test.each(readdirSync(join(root, ".github/ISSUE_TEMPLATE")))("the form %s can be read", (file) => {
  const form = parse(textOf(`.github/ISSUE_TEMPLATE/${file}`)) as { name?: string; body?: { type: string }[] };
  if (file === "config.yml") return;
  expect(form.name).toBeTruthy();
  expect(form.body?.length).toBeGreaterThan(1);
});

test.each(["renovate.json", ".changeset/config.json", ".devcontainer/devcontainer.json"])(
  "%s is valid JSON",
  (file) => {
    expect(() => JSON.parse(textOf(file))).not.toThrow();
  },
);

test("the package names its repository and what it is about, and the changelog has its version", () => {
  expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/.+\.git$/);
  expect(manifest.keywords.length).toBeGreaterThan(5);
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  expect(textOf("CHANGELOG.md")).toContain(`\n## ${version}\n`);
});

test("every changeset says of what weight it is and what users will notice", () => {
  const changesets = readdirSync(join(root, ".changeset")).filter((file) => /^(?!README).+\.md$/.test(file));
  const wrong = changesets.filter(
    (file) => !/^---\n"crossdock": (?:patch|minor|major)\n---\n\n\S[\s\S]+$/.test(textOf(`.changeset/${file}`)),
  );
  expect(wrong).toEqual([]);
});

test("owners are named for folders that exist", () => {
  const paths = [...textOf(".github/CODEOWNERS").matchAll(/^\/(\S+)\s+@/gm)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
