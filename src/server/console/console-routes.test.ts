import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { createServer } from "../server.ts";
import { consoleRoutes } from "./console-routes.ts";

const page = '<!doctype html><base href="/console/"><script type="module" src="assets/index-1.js"></script>';

function adapter({ basePath = "", isBuilt = true } = {}) {
  const folder = temporaryFolder();
  if (isBuilt) {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), page);
    writeFileSync(join(folder, "assets/index-1.js"), "run()");
    writeFileSync(join(folder, "assets/index-1.js.br"), brotliCompressSync("run()"));
    writeFileSync(join(folder, "assets/notes.txt"), "not for the web");
    writeFileSync(join(folder, "secret"), "secret");
  }
  const newReference = () => "REF";
  const app = createServer({ basePath, bodyLimitBytes: 1024, log: silentLog, newReference });
  consoleRoutes(app, { folder, basePath, newReference });
  onTestFinished(() => app.close());
  return app;
}

describe.each(["", "/wms"])("under the base path %j", (basePath) => {
  test("the root leads to the console", async () => {
    const answer = await adapter({ basePath }).inject(`${basePath}/`);
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe(`${basePath}/console`);
  });

  test.each(["", "/", "/orders", "/orders/", "/orders/W-1", "/orders/console/x", "/CONSOLE?state=dead"])(
    "the page at /console%s finds its files",
    async (below) => {
      const app = adapter({ basePath });
      const url = `${basePath}/console${below}`;
      const answer = await app.inject(url);
      expect(answer.statusCode).toBe(200);
      const base = /<base href="([^"]+)"/.exec(answer.body)?.[1] ?? "";
      const file = new URL("assets/index-1.js", new URL(base, `http://adapter${url}`));
      expect(file.pathname).toBe(`${basePath}/console/assets/index-1.js`);
      expect((await app.inject(file.pathname)).statusCode).toBe(200);
    },
  );
});

test("the page allows nothing inline and nothing from elsewhere, cannot be framed and is not kept", async () => {
  const { headers } = await adapter().inject("/console");
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers).toMatchObject({
    ...{ "cache-control": "no-store", "x-content-type-options": "nosniff", "x-frame-options": "DENY" },
    ...{ "content-type": "text/html; charset=utf-8", "cross-origin-opener-policy": "same-origin" },
  });
});

test("files have their types, are kept for ever, and are sent compressed where that is understood", async () => {
  const app = adapter();
  const plain = await app.inject("/console/assets/index-1.js");
  expect(plain.body).toBe("run()");
  expect(plain.headers).toMatchObject({
    ...{ "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=31536000, immutable" },
    ...{ "x-content-type-options": "nosniff", vary: "accept-encoding" },
  });
  const small = await app.inject({ url: "/console/assets/index-1.js", headers: { "accept-encoding": "gzip, br" } });
  expect(small.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe("run()");
});

test("nothing else of the folder or of the disk can be read", async () => {
  const app = adapter();
  for (const name of ["notes.txt", "..%2fsecret", "%2e%2e/secret", "__proto__", "index-1.js.br", "index-1.js/x"]) {
    const { body } = await app.inject(`/console/assets/${name}`);
    expect(body).not.toMatch(/not for the web|secret"|run\(\)/);
  }
});

test("an adapter whose console was not built says how to build it", async () => {
  const answer = await adapter({ isBuilt: false }).inject("/console");
  expect(answer.statusCode).toBe(503);
  expect(answer.json().detail).toContain("npm run build:console");
});
