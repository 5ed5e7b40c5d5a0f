import { posix } from "node:path";
import { Fault } from "../../../sdk/fault.ts";

/** A configured folder below the root, cleaned up. One that leads out of the root is a mistake or worse. */
export function folderPath(...parts: readonly string[]): string {
  const joined = posix
    .normalize(
      parts
        .filter(Boolean)
        .map((part) => part.replaceAll("\\", "/"))
        .join("/"),
    )
    .replace(/\/+$/, "");
  const path = joined === "." ? "" : joined.replace(/^\.\//, "");
  if (path.startsWith("/") || path === ".." || path.startsWith("../") || path.includes("\0")) {
    throw new Fault(
      "invalid",
      `the folder ${JSON.stringify(parts.at(-1))} lies outside of \`at\`; name it relative to it`,
    );
  }
  return path;
}
