import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The files that the page at /docs serves, and those that the licence requires. */
const files = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "LICENSE", "NOTICE"];

/**
 * Copies Swagger UI into the build. As a dependency, it would bring `@scarf/scarf` to every user, which reports each
 * installation to a third party.
 */
export function vendorSwaggerUi(root: string, dist: string): void {
  const from = join(root, "node_modules/swagger-ui-dist");
  const to = join(dist, "swagger-ui");
  mkdirSync(to, { recursive: true });
  for (const file of files) copyFileSync(join(from, file), join(to, file));
  // A package.json has these members. Ours gets no dependencies, so that nobody installs them.
  const { name, version, license } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  writeFileSync(join(to, "package.json"), `${JSON.stringify({ name, version, license }, null, 2)}\n`);
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "../..");
  vendorSwaggerUi(root, join(root, "dist"));
}
