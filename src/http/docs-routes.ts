import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { docsPage, docsScript, docsStyle } from "./docs-page.ts";

export interface DocsNeeds {
  /** Called at the first request: the document costs nothing where nobody reads it. */
  readonly openApi: () => object;
  readonly basePath?: string;
}

interface Asset {
  readonly contentType: string;
  readonly read: () => string | Promise<Buffer>;
  /** Where the content has a version, browsers keep it; our own few lines are asked for each time. */
  readonly tag?: string;
}

/** Nothing from elsewhere, nothing inline: what an answer of the adapter contains can never run in this page. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";

/** The contract for tools at /openapi.json, and for people at /docs, without any request to the outside. */
export function docsRoutes(app: FastifyInstance, { openApi, basePath = "" }: DocsNeeds): void {
  const library = swaggerUi();
  const fromDisk = (name: string, contentType: string): Asset => ({
    contentType,
    read: () => readFile(join(library.folder, name)),
    tag: `"${library.version}"`,
  });
  const assets: Readonly<Record<string, Asset>> = {
    "swagger-ui-bundle.js": fromDisk("swagger-ui-bundle.js", script),
    "swagger-ui.css": fromDisk("swagger-ui.css", style),
    "favicon-32x32.png": fromDisk("favicon-32x32.png", "image/png"),
    "page.js": { contentType: script, read: () => docsScript },
    "page.css": { contentType: style, read: () => docsStyle },
  };

  let document: string | undefined;
  app.get(`${basePath}/openapi.json`, (_request, reply) => {
    document ??= JSON.stringify(openApi());
    return secured(reply).header("cache-control", "no-cache").type("application/json; charset=utf-8").send(document);
  });

  // Also reached as /docs/: the server ignores a slash at the end.
  app.get(`${basePath}/docs`, (request, reply) => sendPage(request, reply));
  // A route per file: a name from outside never becomes part of a path on disk.
  for (const [name, asset] of Object.entries(assets)) {
    app.get(`${basePath}/docs/${name}`, (request, reply) => sendAsset(asset, request, reply));
  }
}

async function sendAsset({ contentType, read, tag }: Asset, request: FastifyRequest, reply: FastifyReply) {
  secured(reply).header("cache-control", tag === undefined ? "no-cache" : "public, max-age=86400");
  if (tag !== undefined) {
    reply.header("etag", tag);
    if (request.headers["if-none-match"] === tag) return reply.status(304).send();
  }
  return reply.type(contentType).send(await read());
}

function sendPage(request: FastifyRequest, reply: FastifyReply) {
  const [path = ""] = request.url.split("?");
  // Relative addresses start from the last slash, which /docs/ has behind "docs" and /docs before it.
  const page = path.endsWith("/") ? docsPage({ up: "../", here: "" }) : docsPage({ up: "", here: "docs/" });
  return secured(reply)
    .header("content-security-policy", pagePolicy)
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-cache")
    .type("text/html; charset=utf-8")
    .send(page);
}

const secured = (reply: FastifyReply): FastifyReply => reply.header("x-content-type-options", "nosniff");

function swaggerUi(): { folder: string; version: string } {
  const file = createRequire(import.meta.url).resolve("swagger-ui-dist/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return { folder: dirname(file), version };
}
