import { readdirSync } from "node:fs";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { openApi, openApiSteps } from "../../contract/derive/openapi.ts";
import { silentLog } from "../../kit/log.ts";
import { createServer } from "../server.ts";
import { docsRoutes } from "./docs-routes.ts";

let app: FastifyInstance | undefined;
afterEach(async () => app?.close());

const version = "1.2.3";
const document = () => openApi({ version });

function adapter(basePath: string): FastifyInstance {
  const server = createServer({ basePath, bodyLimitBytes: 1024, log: silentLog, newReference: () => "ref" });
  docsRoutes(server, { openApi: () => openApiSteps({ version }), basePath });
  app = server;
  return server;
}

describe.each(["", "/wms"])("under the base path %j", (basePath) => {
  test("the document is served for tools", async () => {
    const answer = await adapter(basePath).inject(`${basePath}/openapi.json`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(document())));
  });

  test.each(["/docs", "/docs/", "/docs?x=1", "/DOCS/"])(
    "the page at %s finds its files and the document",
    async (path) => {
      const server = adapter(basePath);
      const page = await server.inject(`${basePath}${path}`);
      expect(page.statusCode).toBe(200);
      expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(page.body).toContain("Authorization: Bearer KEY");
      const links = [...page.body.matchAll(/(?:src|href|data-openapi)="([^"]+)"/g)].map((match) => match[1] ?? "");
      expect(links.length).toBeGreaterThan(5);
      for (const link of links) {
        const url = new URL(link, `http://adapter${basePath}${path}`);
        expect(url.host).toBe("adapter");
        expect((await server.inject(url.pathname)).statusCode, link).toBe(200);
      }
    },
  );
});

test("the page allows no script of its own and nothing from elsewhere", async () => {
  const page = await adapter("").inject("/docs");
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.body).not.toMatch(/<script>|<style|\son\w+=|\sstyle=|https?:\/\//);
  expect(page.headers["x-content-type-options"]).toBe("nosniff");
});

test("files have their types, are kept by browsers, and are not sent twice", async () => {
  const server = adapter("");
  const bundle = await server.inject("/docs/swagger-ui-bundle.js");
  expect(bundle.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(bundle.headers["cache-control"]).toBe("public, max-age=86400");
  expect(bundle.rawPayload.length).toBeGreaterThan(100_000);
  const again = await server.inject({
    url: "/docs/swagger-ui-bundle.js",
    headers: { "if-none-match": String(bundle.headers["etag"]) },
  });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe("");
  expect((await server.inject("/docs/swagger-ui.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
  expect((await server.inject("/docs/favicon-32x32.png")).headers["content-type"]).toBe("image/png");
});

test("nothing else of the library's folder or of the disk can be read", async () => {
  const server = adapter("");
  const served = new Set(["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"]);
  const others = readdirSync("node_modules/swagger-ui-dist").filter((name) => !served.has(name));
  const climbs = [
    "../package.json",
    "..%2fpackage.json",
    "%2e%2e/package.json",
    "__proto__",
    "constructor",
    "page.js/x",
  ];
  for (const name of [...others, ...climbs]) {
    expect((await server.inject(`/docs/${name}`)).statusCode, name).toBe(404);
  }
});

test("the document is made at the first request, and only once", async () => {
  let made = 0;
  app = fastify();
  docsRoutes(app, {
    openApi: function* () {
      made++;
      yield;
      return {};
    },
  });
  await app.inject("/docs");
  expect(made).toBe(0);
  await app.inject("/openapi.json");
  await app.inject("/openapi.json");
  expect(made).toBe(1);
});
