import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../../test/peers/free-port.ts";
import { assemble } from "../package/assemble.ts";
import { debianPackage } from "../package/debian-package.ts";

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    suite: { type: "string", default: "bookworm" },
    mirror: { type: "string", default: "http://deb.debian.org/debian" },
  },
});
if (values.help) {
  console.log(`npm run test:debian -- [--suite bookworm] [--mirror ADDRESS]

Installs the package in a Debian of its own, as an administrator does: installs it, starts it as its user, upgrades it, removes and purges it, and looks
after each step whether data and settings are there. Then the archive, in the same Debian, which has no Node. Needs root, debootstrap and a mirror of Debian.

  --suite   the release of Debian
  --mirror  where its packages come from`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "crossdock-debian-"));
const debian = join(place, "debian");
const inside = (path: string) => join(debian, path);
const data = "/var/lib/crossdock";
const settings = "/etc/crossdock/crossdock.yaml";
const key = "key-of-the-administrator";

function check(what: string, isRight: boolean): void {
  console.log(`${isRight ? "✓" : "✗"} ${what}`);
  if (!isRight) process.exitCode = 1;
}

/** Runs a command in the other Debian, as root. */
function chroot(...command: string[]): string {
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
  return execFileSync("chroot", [debian, ...command], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function makePackages(): { readonly first: string; readonly second: string; readonly archive: string } {
  const assembled = join(place, "crossdock");
  assemble({ root, out: assembled, strip: false });
  const archive = join(place, "crossdock.tar.gz");
  execFileSync("tar", ["-czf", archive, "-C", place, "crossdock"]);
  const first = debianPackage({ assembled, out: place, version: "0.1.0", compression: "gzip" });
  writeFileSync(join(assembled, "only-in-the-second"), "");
  const second = debianPackage({ assembled, out: place, version: "0.1.1", compression: "gzip" });
  return { first, second, archive };
}

/** Copies a package into the other Debian and installs it, with what it depends on. */
function install(file: string): void {
  copyFileSync(file, inside("srv/crossdock.deb"));
  chroot("apt-get", "install", "-y", "--allow-downgrades", "/srv/crossdock.deb");
}

/** Starts the program as the unit does, does something with it and stops it. */
async function running(command: string, user: string, folder: string, work: (url: string) => Promise<void>) {
  const port = await freePort();
  const env = {
    ...{ PATH: "/usr/sbin:/usr/bin:/bin", HOME: "/", HOST: "127.0.0.1", PORT: String(port), CROSSDOCK_API_KEY: key },
    ...{ CROSSDOCK_DATA_DIR: folder, ...(existsSync(inside(settings)) ? { CROSSDOCK_CONFIG: settings } : {}) },
  };
  const child: ChildProcess = spawn("chroot", [`--userspec=${user}`, debian, command, "start"], { env, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk));
  const exit = new Promise<number | null>((done) => {
    child.once("exit", (code) => done(code));
    child.once("error", (error) => {
      said += String(error);
      done(null);
    });
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    for (let tries = 0; !(await fetch(`${url}/health/ready`).catch(() => null))?.ok; tries++) {
      if (child.exitCode !== null || tries > 600) throw new Error(`it does not start:\n${said}`);
      await new Promise((next) => setTimeout(next, 100));
    }
    await work(url);
  } finally {
    child.kill("SIGTERM");
    check("it stops with 0", (await exit) === 0);
  }
}

const order = {
  number: "4711",
  dueDate: "2030-01-31T08:00:00Z",
  requests: [{ itemNumber: "A-1", requestedAmount: 2 }],
};
const push = async (url: string) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/inbound/work-orders`, { method: "POST", headers, body: JSON.stringify(order) });
  check("it takes an order", answer.status === 202);
};
const hasOrder = async (url: string) =>
  (await fetch(`${url}/WorkOrders`).then((answer) => answer.text())).includes('"number":"4711"');
const ownerOf = (path: string) => chroot("stat", "-c", "%U:%G %a", path).trim();

try {
  if (process.getuid?.() !== 0) throw new Error("only root can do this");
  const { first, second, archive } = makePackages();
  console.log(`Debian ${values.suite} is made`);
  execFileSync("debootstrap", ["--variant=minbase", values.suite, debian, values.mirror], { stdio: "ignore" });
  mkdirSync(inside("proc"), { recursive: true });
  execFileSync("mount", ["-t", "proc", "proc", inside("proc")]);

  console.log("Installed");
  install(first);
  check("there is no other Node", !existsSync(inside("usr/bin/node")) && !existsSync(inside("usr/bin/npm")));
  check("the command is there", /^\d+\.\d+\.\d+$/.test(chroot("crossdock", "--version").trim()));
  check("the data folder belongs to its user alone", ownerOf(data) === "crossdock:crossdock 700");
  check("the environment belongs to root alone", ownerOf("/etc/crossdock/environment") === "root:root 600");
  const wanted = "etc/systemd/system/multi-user.target.wants/crossdock.service";
  check("the service starts with the machine", lstatSync(inside(wanted), { throwIfNoEntry: false }) !== undefined);
  appendFileSync(inside(settings), "timeZone: Europe/Vienna\n");
  const doctor = ["--config", settings, "--data", data];
  await running("/usr/bin/crossdock", "crossdock:crossdock", data, async (url) => {
    await push(url);
    check("it serves the order", await hasOrder(url));
    const found = chroot("su", "-s", "/bin/sh", "crossdock", "-c", `cd / && crossdock doctor ${doctor.join(" ")}`);
    check("the doctor finds no error", found.includes("0 errors"));
  });

  console.log("Upgraded");
  install(second);
  check("the new version is there", existsSync(inside("opt/crossdock/only-in-the-second")));
  check("changed settings are kept", readFileSync(inside(settings), "utf8").includes("Vienna"));
  await running("/usr/bin/crossdock", "crossdock:crossdock", data, async (url) => {
    check("the order is still there", await hasOrder(url));
  });

  console.log("Back to the version before");
  install(first);
  await running("/usr/bin/crossdock", "crossdock:crossdock", data, async (url) => {
    check("the order is still there", await hasOrder(url));
  });

  console.log("Removed");
  chroot("apt-get", "remove", "-y", "crossdock");
  check("the program is gone", !existsSync(inside("opt/crossdock")) && !existsSync(inside("usr/bin/crossdock")));
  check("the data is kept", statSync(inside(`${data}/crossdock.db`)).size > 0);
  check("the settings are kept", existsSync(inside(settings)));

  console.log("Installed again");
  install(second);
  await running("/usr/bin/crossdock", "crossdock:crossdock", data, async (url) => {
    check("the order is still there", await hasOrder(url));
  });

  console.log("Purged");
  const said = chroot("apt-get", "purge", "-y", "crossdock");
  check("the settings are gone", !existsSync(inside("etc/crossdock")));
  check("the data is kept, and it is said so", existsSync(inside(`${data}/crossdock.db`)) && said.includes(data));
  const left = readdirSync(inside("etc/systemd/system"), { recursive: true, encoding: "utf8" });
  check("no unit is left", !left.some((name) => name.includes("crossdock")));

  console.log("The archive");
  execFileSync("tar", ["-xzf", archive, "-C", inside("srv"), "--no-same-owner"]);
  chroot("install", "-d", "-o", "nobody", "-m", "0700", "/srv/data");
  await running("/srv/crossdock/crossdock", "nobody:nogroup", "/srv/data", async (url) => {
    for (const path of ["/Status", "/console", "/docs", "/openapi.json"]) {
      check(`it serves ${path}`, (await fetch(url + path)).status === 200);
    }
  });
} finally {
  if (existsSync(inside("proc/self"))) execFileSync("umount", [inside("proc")]);
  rmSync(place, { recursive: true, force: true });
}
