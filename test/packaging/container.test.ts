import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../src/config/load-config.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

import { testIf } from "../support/test-if.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "deploy/container");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const dockerfile = textOf("deploy/container/Dockerfile");

interface Service {
  readonly image: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly command?: string[];
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly secrets?: string[];
}
// Our own file; the tests below fail if it looks otherwise.
const compose = parse(textOf("deploy/container/compose.yaml"), { merge: true }) as {
  services: Record<string, Service>;
  volumes: object;
  secrets: Record<string, { file: string }>;
};

testIf(process.platform === "linux")("a program that was unpacked for its owner alone can be read in the image", () => {
  const [, open = ""] = /^RUN (\[ "\$\(stat .*)$/m.exec(dockerfile) ?? [];
  const place = join(temporaryFolder(), "crossdock");
  const file = join(place, "bin", "crossdock.js");
  mkdirSync(join(place, "bin"), { recursive: true });
  writeFileSync(file, "");
  const runWith = (folderMode: number, fileMode: number) => {
    chmodSync(join(place, "bin"), folderMode);
    chmodSync(file, fileMode);
    execFileSync("sh", ["-c", open.replaceAll("/opt/crossdock", place)]);
    return [join(place, "bin"), file].map((path) => (statSync(path).mode & 0o777).toString(8));
  };
  expect(open).not.toBe("");
  expect(runWith(0o700, 0o700)).toEqual(["755", "755"]);
  expect(runWith(0o700, 0o600)).toEqual(["755", "644"]);
  // Nothing is touched where the folder is open.
  expect(runWith(0o755, 0o600)).toEqual(["755", "600"]);
});

test("the image runs as a user without rights, listens to signals and says whether it is well", () => {
  expect(dockerfile).toMatch(/^USER (\d+):\1$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["\/opt\/crossdock\/node_modules\/\.bin\/node", /m);
  expect(dockerfile).toMatch(/^HEALTHCHECK [\s\S]*health\.mjs/m);
  expect(dockerfile).not.toMatch(/:latest|curl|wget|sudo/);
});

test("the image and npm start have the settings of the service unit for memory", () => {
  const unit = textOf("deploy/systemd/crossdock.service");
  const [flag = "no flag"] = /--max-semi-space-size=\d+/.exec(unit) ?? [];
  expect(dockerfile).toContain(flag);
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  expect(scripts["start"]).toContain(flag);
  const variables = [...unit.matchAll(/MALLOC_\w+=\d+/g)].map(([variable]) => variable);
  expect(variables).toHaveLength(2);
  for (const variable of variables) expect(dockerfile).toContain(variable);
});

test("every file and volume that the compose file mounts exists, and every port is open to this machine only", () => {
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.map((one) => one.split(":")[0] ?? ""),
  );
  expect(mounts.length).toBeGreaterThan(6);
  const missing = mounts.filter(
    (one) => !(one.startsWith(".") ? existsSync(join(folder, one)) : one in compose.volumes),
  );
  expect(missing).toEqual([]);
  const ports = Object.values(compose.services).flatMap((service) => service.ports ?? []);
  expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  const given = Object.values(compose.services).flatMap((service) => service.secrets ?? []);
  expect(given.filter((name) => compose.secrets[name] === undefined)).toEqual([]);
  // The page says how each of them is made.
  const page = textOf("docs/how-to/container.md");
  for (const { file } of Object.values(compose.secrets)) expect(page).toContain(file.replace("./", ""));
});

test("Crossdock's own services write nowhere but to their data, and have no privileges", () => {
  const own = Object.values(compose.services).filter(({ image }) => image === "crossdock");
  expect(own).toHaveLength(2);
  for (const service of own) expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
});

test("no image of another project is taken in a version that changes by itself", () => {
  const images = Object.values(compose.services).map(({ image }) => image);
  expect(images.filter((image) => image !== "crossdock" && !/:v?\d/.test(image))).toEqual([]);
});

test("the configuration of the compose file is valid, and reaches the mock ERP where its command listens", async () => {
  const { config } = await loadConfig({ file: join(folder, "crossdock.yaml"), env: {}, cwd: root });
  const { command = [] } = compose.services["mock-erp"] ?? {};
  const port = command[command.indexOf("--port") + 1];
  expect(config.connectors?.["erp"]).toMatchObject({ baseUrl: `http://mock-erp:${port}/api` });
  expect(textOf("deploy/container/prometheus.yml")).toContain("crossdock:8080");
  expect(config.hosts).toContain("crossdock");
});

test("the health check finds the adapter wherever it listens, and fails without one", async () => {
  const data = temporaryFolder();
  const check = () =>
    spawnSync(process.execPath, [join(folder, "health.mjs")], {
      env: { ...process.env, CROSSDOCK_DATA_DIR: join(data, "data") },
      encoding: "utf8",
    });
  expect(check().status).toBe(1);
  // A refused call is answered, too: this platform has to authenticate for the health routes.
  const auth = { kind: "apiKey", keys: ["platform-key-0123456789"] };
  writeFileSync(join(data, "crossdock.yaml"), JSON.stringify({ platform: { auth, openRoutes: [] } }));
  const adapter = await spawnAdapter(data);
  expect(check()).toMatchObject({ status: 0, stdout: "", stderr: "" });
  await adapter.end("SIGKILL");
  expect(check().status).toBe(1);
});
