import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { writeInTurns } from "../../kit/json/write-in-turns.ts";

/**
 * The page at /docs. Its addresses are relative, so that it works under any base path and behind a proxy that strips
 * one. `up` leads from the page to the adapter's root, `here` to the page's own files.
 */
const docsPage = ({ up, here }: { up: string; here: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossdock API</title>
<link rel="icon" href="${here}favicon-32x32.png">
<link rel="stylesheet" href="${here}swagger-ui.css">
<link rel="stylesheet" href="${here}page.css">
</head>
<body>
<header>
<h1>Crossdock</h1>
<p>The adapter between a warehouse platform and the ERP, WMS or own software behind it. The platform calls the endpoints
under <em>Work orders</em>, <em>Processing</em>, <em>Items</em> and <em>Health</em>; they need no key of their own and are
kept safe by the network. Each answers HTTP 200 with an envelope whose result numbers are its own.</p>
<p>External systems push under <em>Inbound</em>, with the API key: choose <strong>Authorize</strong> below and paste it once,
or send it yourself as <code>Authorization: Bearer KEY</code> or <code>X-Api-Key: KEY</code>. The key is printed at the first
start and kept in the data folder, unless <code>CROSSDOCK_API_KEY</code> sets it.</p>
<p><a href="${up}openapi.json">openapi.json</a> describes all of it for tools. “Try it out” works on this very adapter: what
you send is real.</p>
</header>
<main id="reference" data-openapi="${up}openapi.json">
<noscript><p>This list needs JavaScript; <a href="${up}openapi.json">openapi.json</a> holds the same.</p></noscript>
</main>
<script src="${here}swagger-ui-bundle.js"></script>
<script src="${here}page.js"></script>
</body>
</html>
`;

/** A separate file, because the page's policy allows no inline script. */
const docsScript = `const place = document.getElementById("reference");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.openapi,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  // Otherwise a badge is fetched from an external address.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: false,
});
`;

const docsStyle = `body { margin: 0; background: #fafafa; color: #1f2933; font-family: system-ui, sans-serif; }
header { background: #12324a; color: #f4f8fb; padding: 24px max(20px, calc((100% - 1420px) / 2)); }
header h1 { margin: 0 0 8px; font-size: 28px; }
header p { margin: 8px 0; max-width: 92ch; line-height: 1.5; }
header a { color: #9fd6ff; }
header code { background: #1d4763; border-radius: 3px; padding: 1px 5px; }
.swagger-ui .info { margin: 20px 0; }
.swagger-ui .scheme-container { box-shadow: none; padding: 12px 0; background: transparent; }
html.dark-mode body { background: #1c2022; color: #e4e6e6; }
`;

export interface DocsNeeds {
  /** Called at the first request for it, so that an unused document costs nothing. */
  readonly openApi: () => Generator<undefined, object>;
  readonly basePath?: string;
  /** Where the build puts the files of Swagger UI. A checkout has no build and uses the installed library. */
  readonly folder?: string | undefined;
}

interface Asset {
  readonly contentType: string;
  readonly read: () => string | Promise<Buffer>;
  /** Set for files with a version, which browsers may cache. Our own few lines are requested each time. */
  readonly tag?: string;
}

/** No external and no inline scripts: content of an answer can never run as a script in this page. */
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

/** Serves the contract to tools at /openapi.json and to people at /docs, without any external request. */
export function docsRoutes(app: FastifyInstance, { openApi, basePath = "", folder }: DocsNeeds): void {
  const library = swaggerUi(folder);
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

  let document: Promise<string> | undefined;
  app.get(`${basePath}/openapi.json`, async (_request, reply) => {
    document ??= writtenInTurns(openApi());
    const text = await document;
    return secured(reply).header("cache-control", "no-cache").type("application/json; charset=utf-8").send(text);
  });

  // Also reached as /docs/: the server ignores a slash at the end.
  app.get(`${basePath}/docs`, (request, reply) => sendPage(request, reply));
  // A route per file: a name from outside never becomes part of a path on disk.
  for (const [name, asset] of Object.entries(assets)) {
    app.get(`${basePath}/docs/${name}`, (request, reply) => sendAsset(asset, request, reply));
  }
}

/** Other requests run between the steps. */
async function writtenInTurns(steps: Generator<undefined, object>): Promise<string> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return (await writeInTurns(step.value)) ?? "";
    await nextTurn();
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
  // Relative addresses start from the last slash, which is after "docs" in /docs/ and before it in /docs.
  const page = path.endsWith("/") ? docsPage({ up: "../", here: "" }) : docsPage({ up: "", here: "docs/" });
  return secured(reply)
    .header("content-security-policy", pagePolicy)
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-cache")
    .type("text/html; charset=utf-8")
    .send(page);
}

const secured = (reply: FastifyReply): FastifyReply => reply.header("x-content-type-options", "nosniff");

function swaggerUi(built?: string): { folder: string; version: string } {
  const kept = built === undefined ? "" : join(built, "package.json");
  const file = existsSync(kept) ? kept : createRequire(import.meta.url).resolve("swagger-ui-dist/package.json");
  // A package.json, which npm does not install without a version.
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return { folder: dirname(file), version };
}
