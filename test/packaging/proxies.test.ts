import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { freePort } from "../peers/free-port.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { authority } from "../support/receivers/certificates.ts";
import { newFolder, temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(join(root, "deploy/proxy", file), "utf8");

/** Where the parts of a test are; they replace the addresses and files of the configuration. */
interface Place {
  readonly folder: string;
  readonly port: number;
  readonly adapter: string;
  readonly cert: string;
  readonly key: string;
}
interface Proxy {
  readonly missing: string | null;
  /** Writes the configuration for the place and gives the command that runs it in the foreground. */
  readonly command: (place: Place) => readonly string[];
}

const moved = (text: string, { adapter, cert, key }: Place) =>
  text
    .replaceAll("127.0.0.1:8080", adapter)
    .replaceAll("/etc/ssl/adapter.pem", cert)
    .replaceAll("/etc/ssl/adapter.key", key);
const written = (place: Place, name: string, text: string) => {
  const file = join(place.folder, name);
  writeFileSync(file, text);
  return file;
};

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    missing: missingProgram({ nginx: "nginx-light" }),
    command: (place) => {
      const { folder, port } = place;
      const site = moved(textOf("nginx.conf"), place).replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      const whole = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(" ")}\n${site}\n}`;
      return ["nginx", "-c", written(place, "nginx.conf", whole), "-p", folder];
    },
  },
  haproxy: {
    missing: missingProgram({ haproxy: "haproxy" }),
    command: (place) => {
      const both = written(place, "both.pem", readFileSync(place.cert, "utf8") + readFileSync(place.key, "utf8"));
      const text = moved(textOf("haproxy.cfg"), { ...place, cert: both })
        .replace("bind :443", `bind 127.0.0.1:${place.port}`)
        // Only root can become another user.
        .replaceAll(process.getuid?.() === 0 ? "" : /^ +(user|group) haproxy\n/gm, "");
      return ["haproxy", "-db", "-f", written(place, "haproxy.cfg", text)];
    },
  },
  caddy: {
    missing: missingProgram({ caddy: "caddy" }),
    command: (place) => {
      const head = `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n`;
      const text = moved(textOf("Caddyfile"), place)
        .replace("adapter.example.com {", `adapter.example.com:${place.port} {`)
        .replace(":443 {", `:${place.port} {`);
      return ["caddy", "run", "--adapter", "caddyfile", "--config", written(place, "Caddyfile", head + text)];
    },
  },
};

const files = newFolder();
const own = authority(files);
const { cert, key } = own.issue("adapter", { alternatives: "DNS:adapter.example.com", use: "server" });
const ca = readFileSync(own.file);

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  /** The caller's own address; this machine has all of 127.0.0.0/8. */
  readonly from?: string;
}

function call(port: number, { path, method = "GET", body, headers = {}, from = "127.0.0.2" }: Call) {
  return new Promise<{ status: number; text: string }>((done, failed) => {
    const isLive = headers["accept"] === "text/event-stream";
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path, method, ca, agent: false, localAddress: from },
        servername: "adapter.example.com",
        headers: {
          host: "adapter.example.com",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
      },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => {
          text += chunk;
          // A live page never ends: the first event is enough.
          if (isLive && text.includes("\n\n")) done({ status: answer.statusCode ?? 0, text });
          if (isLive) sent.destroy();
        });
        answer.on("end", () => done({ status: answer.statusCode ?? 0, text }));
      },
    );
    sent.on("error", failed);
    sent.end(body);
  });
}

describe.each(Object.entries(proxies))("behind %s, configured as in deploy/proxy", (name, { missing, command }) => {
  let start: () => Promise<{ readonly port: number; readonly restart: () => Promise<void> }>;
  beforeAll(() => {
    start = async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "home"));
      const own = String(await freePort());
      const begin = () =>
        startAdapter({
          folder,
          env: { PORT: own },
          config: {
            trustProxy: ["127.0.0.1"],
            hosts: ["adapter.example.com"],
            senders: { shop: { addresses: ["127.0.0.2"], auth: { kind: "apiKey", keys: ["shop-key-0123456789"] } } },
          },
        });
      let adapter = await begin();
      const port = await freePort();
      const place = { folder, port, adapter: new URL(adapter.url).host, cert, key };
      const [program = name, ...args] = command(place);
      const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`, HOME: join(folder, "home") };
      const proxy = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
      let complaints = "";
      proxy.stderr.on("data", (chunk: Buffer) => {
        complaints += chunk;
      });
      onTestFinished(
        () =>
          new Promise<void>((ended) => {
            proxy.once("exit", () => ended());
            if (!proxy.kill("SIGTERM")) ended();
          }),
      );
      const status = () =>
        call(port, { path: "/Status" }).then(
          ({ status: code }) => code,
          (error: Error) => `${error.message} ${complaints}`,
        );
      await expect.poll(status, { interval: 200 }).toBe(200);
      const restart = async () => {
        await adapter.close();
        adapter = await begin();
        await expect.poll(status, { interval: 200 }).toBe(200);
      };
      return { port, restart };
    };
  });

  test("addresses, large bodies and the caller's address arrive as they were sent", async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    const { port } = await start();
    const push = (item: object, more: Partial<Call> = {}) =>
      call(port, {
        path: "/inbound/items",
        method: "POST",
        body: JSON.stringify(item),
        ...more,
        headers: { "x-api-key": apiKey, ...more.headers },
      });
    // Another name than its own is refused, by the proxy or by the adapter.
    expect((await call(port, { path: "/Status", headers: { host: "other.example.com" } })).status).toBe(421);
    // An item number with a slash stays one part of the address.
    expect((await push({ number: "A/B 1", name: "bolt" })).status).toBe(202);
    await expect.poll(async () => (await call(port, { path: "/Items/A%2FB%201" })).text).toContain('"number":"A/B 1"');
    // A file of 20 MB, as Base64 in JSON.
    const rows = `number;name\n${"A-1;bolt\n".repeat(10)}${" ".repeat(20 * 2 ** 20)}`;
    const body = JSON.stringify({ fileContent: Buffer.from(rows).toString("base64"), fileType: 1 });
    const upload = await call(port, { path: "/Items/File", method: "POST", body });
    expect(upload.status).toBe(200);
    // The caller's address is what the proxy saw, whatever the caller claims.
    const claim = { headers: { "x-api-key": "shop-key-0123456789", "x-forwarded-for": "127.0.0.2" } };
    expect((await push({ number: "C" }, { ...claim, from: "127.0.0.2" })).status).toBe(202);
    expect((await push({ number: "C" }, { ...claim, from: "127.0.0.3" })).status).not.toBe(202);
  });

  test("the console signs in and is shown live, and a restarted adapter is found again", async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    const { port, restart } = await start();
    // As a browser sends it: the address has a port, because 443 is not free here.
    const host = `adapter.example.com:${port}`;
    const signIn = () => {
      const headers = { host, origin: `https://${host}`, "sec-fetch-site": "same-origin" };
      return call(port, {
        ...{ path: "/admin/session", method: "POST", headers, body: JSON.stringify({ key: apiKey, name: "Kim" }) },
      });
    };
    expect(await signIn()).toMatchObject({ status: 200, text: expect.stringContaining("Kim") });
    const headers = { accept: "text/event-stream", "x-api-key": apiKey };
    const live = () => call(port, { path: "/admin/live", headers });
    expect((await live()).text).toContain("event: changed");
    await restart();
    expect((await signIn()).status).toBe(200);
    expect((await live()).text).toContain("event: changed");
  });
});

test("the configurations for proxies that cannot be installed here can be read", () => {
  expect(parse(textOf("traefik.yaml"))).toMatchObject({ http: { services: { crossdock: expect.anything() } } });
  // Traefik's entry point is a comment there, because it belongs to another file.
  const comment = textOf("traefik.yaml").match(/^# {3}.*$/gm) ?? [];
  expect(parse(comment.map((line) => line.slice(4)).join("\n"))).toMatchObject({
    entryPoints: { websecure: { transport: expect.anything(), http: { encodedCharacters: expect.anything() } } },
  });
  // IIS has an address as it was sent in this variable only: {R:1} is decoded.
  expect(textOf("web.config")).toContain('url="http://127.0.0.1:8080{UNENCODED_URL}" appendQueryString="false"');
  expect(textOf("web.config")).toContain('useOriginalURLEncoding="false"');
});
