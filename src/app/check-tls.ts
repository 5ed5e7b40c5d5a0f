import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Objection } from "./config-error.ts";
import { isPlainObject } from "./config-shape.ts";

/** The files by their absolute paths: they are read again when they change, so their contents are not put in here. */
export function tlsPaths(given: unknown, folder: string): unknown {
  if (!isPlainObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, path]) => [name, typeof path === "string" && path !== "" ? pathOf(path) : path]),
  );

  function pathOf(text: string): string {
    if (text.startsWith("file://") && URL.canParse(text)) return fileURLToPath(text);
    return resolve(folder, text.replace(/^file:/, ""));
  }
}

/** Whether the files are there and belong together; found out now rather than by the first client. */
export function tlsObjections(tls: unknown): Objection[] {
  if (!isPlainObject(tls)) return [];
  const contents: Record<string, string> = {};
  const objections: Objection[] = [];
  for (const name of ["cert", "key", "clientCa"]) {
    const path = tls[name];
    if (typeof path !== "string") continue;
    try {
      contents[name] = readFileSync(path, "utf8");
    } catch (error) {
      const hint = "Write the path of a PEM file this user may read, from the configuration's folder or absolute.";
      const text = `the file cannot be read: ${(error as Error).message}`;
      objections.push({ path: ["platform", "tls", name], text, hint });
    }
  }
  const { cert, key, clientCa } = contents;
  if (objections.length > 0 || cert === undefined || key === undefined) return objections;
  try {
    createSecureContext({ cert, key, ...(clientCa === undefined ? {} : { ca: clientCa }) });
    return [];
  } catch (error) {
    const hint = "They have to be PEM, the key without a password, and the key has to be that of the certificate.";
    const text = `the certificate and key cannot be used: ${(error as Error).message}`;
    return [{ path: ["platform", "tls"], text, hint }];
  }
}
