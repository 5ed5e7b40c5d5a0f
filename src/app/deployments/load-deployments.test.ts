import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { authority } from "../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type Deployment, loadDeployments } from "./load-deployments.ts";

function load(files: Readonly<Record<string, string>>, env: Record<string, string> = {}): Promise<Deployment[]> {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    const file = join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const source = join(cwd, "crossdock.yaml");
  return loadDeployments({ source, folder: "sites", dataFolder: join(cwd, "data"), env, cwd });
}

test("each file and each folder with a configuration is a deployment, with a data folder of its own", async () => {
  const deployments = await load({
    "sites/north.yaml": "timeZone: Europe/Berlin\n",
    "sites/south/crossdock.yaml": "basePath: /s\n",
    "sites/east.yml": "hosts: [east.example.com]\n",
    "sites/notes.txt": "not a configuration",
    "sites/.hidden.yaml": "nor this: one",
  });
  const shown = deployments.map(({ name, loaded: { config, settings } }) => ({
    ...{ name, deployment: config.deployment, basePath: config.basePath, hosts: config.hosts },
    folder: settings.dataFolder.split("/").slice(-3).join("/"),
  }));
  expect(shown).toEqual([
    {
      ...{ name: "east", deployment: "east", basePath: "", hosts: ["east.example.com"] },
      folder: "data/deployments/east",
    },
    {
      ...{ name: "north", deployment: "north", basePath: "/north", hosts: undefined },
      folder: "data/deployments/north",
    },
    { name: "south", deployment: "south", basePath: "/s", hosts: undefined, folder: "data/deployments/south" },
  ]);
});

test("a deployment has its own key, and never that of the process", async () => {
  const deployments = await load(
    {
      "sites/north.yaml": "",
      "sites/south/crossdock.yaml": "",
      "sites/south/.env": "CROSSDOCK_API_KEY=of-the-south\n",
    },
    { CROSSDOCK_API_KEY: "of-the-process", PORT: "1" },
  );
  expect(deployments.map(({ name, loaded: { settings } }) => [name, settings.apiKey, settings.port])).toEqual([
    ["north", undefined, 8080],
    ["south", "of-the-south", 8080],
  ]);
});

test.each<[what: string, files: Record<string, string>, text: RegExp]>([
  ["a folder that does not exist", { "other.yaml": "" }, /sites: cannot be read/],
  ["a folder without a configuration", { "sites/readme.txt": "" }, /there is no configuration in this folder/],
  ["two with one name", { "sites/a.yaml": "", "sites/a/crossdock.yaml": "" }, /the deployment a is also described by/],
  ["two names that differ by case", { "sites/a.yaml": "", "sites/A.yml": "" }, /is also described by/],
  [
    "the same base path",
    { "sites/a.yaml": "basePath: /x\n", "sites/b.yaml": "basePath: /X\n" },
    /same address as .*a\.yaml \(any host name, \/x\)/,
  ],
  [
    "the same host and base path",
    { "sites/a.yaml": "hosts: [h.example, i.example]\n", "sites/b.yaml": "hosts: [I.example]\n" },
    /same address as .*a\.yaml \(i\.example, \/\)/,
  ],
  [
    "a port of its own",
    { "sites/a/crossdock.yaml": "", "sites/a/.env": "PORT=9000\n" },
    /\.env: PORT belongs to the process/,
  ],
  ["a store of its own", { "sites/a.yaml": "store: postgres://db/x\n" }, /no store of its own/],
  ["another name than its file", { "sites/a.yaml": "deployment: b\n" }, /the name of this deployment is a/],
  ["deployments in a deployment", { "sites/a.yaml": "deployments:\n  folder: b\n" }, /cannot have deployments itself/],
  ["the path of the process", { "sites/deployments.yaml": "basePath: /Deployments/x\n" }, /belongs to the process/],
  ["a name that is no name", { "sites/a b.yaml": "" }, /"a b" cannot be the name of a deployment/],
  [
    "one key for two",
    {
      "sites/a/crossdock.yaml": "",
      "sites/a/.env": "CROSSDOCK_API_KEY=same\n",
      "sites/b/crossdock.yaml": "",
      "sites/b/.env": "CROSSDOCK_API_KEY=same\n",
    },
    /same API key as .*a.crossdock\.yaml/,
  ],
  ["a mistake in one of them", { "sites/a.yaml": "", "sites/b.yaml": "timeZon: UTC\n" }, /b\.yaml:1:1: timeZon/],
])("%s is refused with a sentence of its own", async (_what, files, text) => {
  await expect(load(files)).rejects.toThrow(text);
});

test("certificates of its own are refused: the process listens for all", async () => {
  const { cert, key } = authority(temporaryFolder()).issue("own", { alternatives: "DNS:localhost", use: "server" });
  await expect(load({ "sites/a.yaml": `platform:\n  tls:\n    cert: ${cert}\n    key: ${key}\n` })).rejects.toThrow(
    /a\.yaml:\d+:\d+: platform\.tls: a deployment has no certificates of its own/,
  );
});

test("all mistakes of all deployments are reported at once", async () => {
  const wrong = { "sites/a.yaml": "timeZon: UTC\n", "sites/b.yaml": "basePath: x\n", "sites/c.yaml": "store: x\n" };
  const error = await load(wrong).catch((one: unknown) => one);
  expect(String(error)).toMatch(/a\.yaml:.*b\.yaml:.*c\.yaml:/s);
});
