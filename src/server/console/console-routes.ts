import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { problemAnswer, writeAnswer } from "../contract/answer.ts";

export interface ConsoleRouteNeeds {
  /** The folder with the built pages. */
  readonly folder: string;
  /** Whether people can sign in at an identity provider. The page then offers it. */
  readonly hasOidc?: () => boolean;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** No external and no inline scripts: content of an order can never run as a script. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

interface Built {
  readonly page: string;
  /** By name: a name from outside never becomes part of a path on disk. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

interface BuiltFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | null;
}

/** The web console under /console. Its files are read at the first request. */
export function consoleRoutes(app: FastifyInstance, needs: ConsoleRouteNeeds): void {
  const { folder, basePath, newReference, hasOidc = () => false } = needs;
  let built: Built | null = null;
  const missing = (reply: FastifyReply, detail: string, status = 404) =>
    writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));

  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    built ??= readBuilt(folder);
    if (built === null) {
      return missing(reply, "The console is not built. Run `npm run build:console` in the adapter's folder.", 503);
    }
    const base = `<base href="${baseFrom(request.url.slice(basePath.length))}">`;
    const offer = hasOidc() ? '<meta name="sign-in" content="oidc">' : "";
    return pageHeaders(reply).send(built.page.replace(baseMark, base + offer));
  };
  app.get(`${basePath}/`, (_request, reply) => reply.redirect(`${basePath}/console`, 302));
  app.get(`${basePath}/console`, sendPage);
  app.get(`${basePath}/console/*`, sendPage);
  app.get(`${basePath}/console/assets/:name`, (request, reply) => {
    built ??= readBuilt(folder);
    // The route names this parameter.
    const { name } = request.params as { name: string };
    const file = built?.files.get(name);
    if (file === undefined) return missing(reply, "There is no such file of the console. Reload the page.");
    const takesBrotli = /\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""));
    secured(reply)
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("vary", "accept-encoding")
      .type(file.contentType);
    if (file.brotli === null || !takesBrotli) return reply.send(file.plain);
    return reply.header("content-encoding", "br").send(file.brotli);
  });
}

const baseMark = /<base href="\/console\/"\s*\/?>/;

/** The relative path from a page below /console to /console/. It also works behind a proxy that strips a path. */
function baseFrom(url: string): string {
  const [path = ""] = url.split("?");
  const below = path.slice("/console".length);
  const depth = below.split("/").length - 2;
  return depth < 0 ? "console/" : depth === 0 ? "./" : "../".repeat(depth);
}

function readBuilt(folder: string): Built | null {
  const assets = join(folder, "assets");
  try {
    const names = readdirSync(assets);
    const files = names.flatMap((name): [string, BuiltFile][] => {
      const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)];
      if (contentType === undefined) return [];
      const brotli = names.includes(`${name}.br`) ? readFileSync(join(assets, `${name}.br`)) : null;
      return [[name, { contentType, plain: readFileSync(join(assets, name)), brotli }]];
    });
    return { page: readFileSync(join(folder, "index.html"), "utf8"), files: new Map(files) };
  } catch {
    return null;
  }
}

const secured = (reply: FastifyReply): FastifyReply =>
  reply.header("x-content-type-options", "nosniff").header("cross-origin-resource-policy", "same-origin");

const pageHeaders = (reply: FastifyReply): FastifyReply =>
  secured(reply)
    .header("content-security-policy", pagePolicy)
    .header("x-frame-options", "DENY")
    .header("referrer-policy", "same-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8");
