import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { validator } from "../../src/contract/validate/validator.ts";
import { renderChart } from "./render-chart.ts";

const root = resolve(import.meta.dirname, "../..");
const chart = join(root, "deploy/helm/crossdock");
const textOf = (file: string) => readFileSync(join(chart, file), "utf8");
// Our own files; the tests below fail if they look otherwise.
const values = parse(textOf("values.yaml")) as Record<string, object>;
const schema = JSON.parse(textOf("values.schema.json")) as Parameters<typeof validator>[0];
const { isValid } = validator(schema);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: object };
  readonly spec: Record<string, unknown>;
  readonly data?: Record<string, string>;
}

/** What is looked at of a StatefulSet. */
interface PodSet {
  readonly template: {
    readonly spec: {
      readonly securityContext: object;
      readonly volumes: { readonly name: string }[];
      readonly containers: { readonly securityContext: object; readonly volumeMounts: { readonly name: string }[] }[];
    };
  };
  readonly volumeClaimTemplates?: { readonly metadata: { readonly name: string } }[];
}

function render(changes: Record<string, unknown> = {}, name = "north"): Map<string, Manifest> {
  const context = { Values: { ...values, ...changes }, Release: { Name: name } };
  const all = readdirSync(join(chart, "templates")).flatMap((file) =>
    parseAllDocuments(renderChart(textOf(`templates/${file}`), context)).map((document) => {
      expect(document.errors, file).toEqual([]);
      return document.toJS() as Manifest | null;
    }),
  );
  return new Map(all.flatMap((one) => (one === null ? [] : [[`${one.kind} ${one.metadata.name}`, one] as const])));
}

const shared = { replicas: 3, postgres: { enabled: true, secretName: "store", secretKey: "url" } };
const pods = (manifests: Map<string, Manifest>) => JSON.stringify(manifests.get("StatefulSet north-crossdock")?.spec);

test("the default values are valid, and several replicas without a PostgreSQL are not", () => {
  expect(isValid(values)).toBe(true);
  expect(isValid({ ...values, ...shared })).toBe(true);
  expect(isValid({ ...values, replicas: 2 })).toBe(false);
  expect(isValid({ ...values, unknown: 1 })).toBe(false);
});

test("a platform that has to authenticate leaves the health routes open, because probes have no key", () => {
  const withPlatform = (platform: object) => isValid({ ...values, config: { platform } });
  const auth = { kind: "apiKey", keys: ["file:/run/secrets/crossdock/platform"] };
  expect(withPlatform({ auth })).toBe(true);
  expect(withPlatform({ auth, openRoutes: ["status", "health"] })).toBe(true);
  expect(withPlatform({ auth, openRoutes: ["status"] })).toBe(false);
  expect(withPlatform({ addresses: ["10.0.0.0/8"], openRoutes: [] })).toBe(false);
  expect(withPlatform({ openRoutes: [] })).toBe(true);
});

test("a variable on which probes, volumes and services of the chart rely cannot be replaced", () => {
  const withVariable = (name: string) => isValid({ ...values, env: [{ name, value: "9000" }] });
  expect(["OTEL_SERVICE_NAME", "HOST", "ERP_PORT", "CROSSDOCK_SAMPLE"].map(withVariable)).toEqual(Array(4).fill(true));
  const own = ["PORT", "CROSSDOCK_API_KEY", "CROSSDOCK_STORE_FILE", "CROSSDOCK_DATA_DIR"];
  expect(own.map(withVariable)).toEqual(Array(4).fill(false));
});

test("by default one pod with a volume of its own is deployed", () => {
  const manifests = render();
  expect([...manifests.keys()].toSorted()).toEqual([
    "ConfigMap north-crossdock",
    "PodDisruptionBudget north-crossdock",
    "Service north-crossdock",
    "Service north-crossdock-pods",
    "StatefulSet north-crossdock",
  ]);
  expect(parse(manifests.get("ConfigMap north-crossdock")?.data?.["crossdock.yaml"] ?? "")).toEqual(values["config"]);
  expect(manifests.get("StatefulSet north-crossdock")?.spec).toMatchObject({
    replicas: 1,
    serviceName: "north-crossdock-pods",
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
  });
  expect(pods(manifests)).toContain("/health/ready");
  expect(pods(manifests)).not.toContain("CROSSDOCK_STORE");
});

test("with a PostgreSQL several pods find each other by name, and keep only a copy", () => {
  const spec = pods(render(shared));
  expect(spec).toContain("$(POD_NAME).north-crossdock-pods.$(POD_NAMESPACE).svc:8080");
  expect(spec).toContain('{"name":"data","emptyDir":{}}');
  expect(spec).not.toContain("volumeClaimTemplates");
});

test("pods have no rights, and every volume that they mount is there", () => {
  for (const manifests of [render(), render({ ...shared, secrets: { secretName: "erp" } })]) {
    // Rendered from our own template.
    const found = manifests.get("StatefulSet north-crossdock") as unknown as { spec: PodSet };
    const { template, volumeClaimTemplates = [] } = found.spec;
    const { securityContext, volumes, containers } = template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
    const [container] = containers;
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } });
    const there = [...volumes.map(({ name }) => name), ...volumeClaimTemplates.map(({ metadata }) => metadata.name)];
    expect(container?.volumeMounts.map(({ name }) => name).toSorted()).toEqual(there.toSorted());
  }
});

test("variables of the environment are passed on, and only such", () => {
  const env = [
    { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector:4318" },
    { name: "ERP_TOKEN", valueFrom: { secretKeyRef: { name: "erp", key: "token" } } },
  ];
  expect(isValid({ ...values, env })).toBe(true);
  expect(isValid({ ...values, env: [{ name: "A B", value: "1" }] })).toBe(false);
  for (const changes of [{ env }, { ...shared, env }]) {
    for (const one of env) expect(pods(render(changes))).toContain(JSON.stringify(one));
  }
});

test("probes and Prometheus ask where the configuration lets the adapter serve", () => {
  const config = { basePath: "/north/", platform: { tls: { cert: "file:a", key: "file:b" } } };
  const spec = pods(render({ config }));
  expect(spec.match(/"path":"\/north\/health\/\w+","port":"http","scheme":"HTTPS"/g)).toHaveLength(3);
  expect(spec).toContain('"prometheus.io/path":"/north/metrics"');
  expect(pods(render())).toContain('{"path":"/health/ready","port":"http"}');
});

test("a release whose name is too long for Kubernetes, or no name in DNS, is refused before anything is made", () => {
  const longest = `a${"b".repeat(41)}`;
  // The names of pods end with a number, and each pod has a label with the name of its set and 11 more characters.
  for (const key of render({}, longest).keys()) {
    const [kind = "", name = ""] = key.split(" ");
    expect(`${name}${kind === "StatefulSet" ? "-0123456789" : ""}`.length, key).toBeLessThanOrEqual(63);
  }
  for (const name of [`${longest}b`, "1north", "north.eu", "north-"]) {
    expect(() => render({}, name)).toThrow(`the release name ${name} cannot be used`);
  }
});

test("the chart deploys the version that it comes with", () => {
  // The shape of npm's own file.
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(parse(textOf("Chart.yaml"))).toMatchObject({ version, appVersion: version });
  expect(values["image"]).toMatchObject({ tag: version });
});

test("a network policy lets in whom the values name, and the pods themselves", () => {
  const from = [{ namespaceSelector: { matchLabels: { name: "platform" } } }];
  const policy = render({ networkPolicy: { enabled: true, from } }).get("NetworkPolicy north-crossdock");
  expect(policy?.spec).toMatchObject({ ingress: [{ from }, { from: [{ podSelector: expect.anything() }] }] });
});

test("a network policy that names nobody is refused: Kubernetes would let everybody in", () => {
  const from = [{ namespaceSelector: {} }];
  expect(isValid({ ...values, networkPolicy: { enabled: true, from } })).toBe(true);
  expect(isValid({ ...values, networkPolicy: { enabled: true, from: [] } })).toBe(false);
  expect(isValid({ ...values, networkPolicy: { enabled: true } })).toBe(false);
});
