import { sourcePath } from "../mapping/source-path.ts";

const inExpressions = /`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*)/gu;

/** The columns that a mapping may read, by which its CSV file is recognised; too many do no harm. */
export function columnsOf(map: unknown, found = new Set<string>()): string[] {
  if (typeof map === "string" && map.startsWith("=")) {
    for (const [, quoted, plain] of map.matchAll(inExpressions)) found.add(quoted ?? plain ?? "");
  } else if (typeof map === "string") {
    const first = sourcePath(map.replace(/^(?:\^\.?)+/, ""))?.steps[0];
    if (typeof first === "string") found.add(first);
  } else if (typeof map === "object" && map !== null) {
    for (const rule of Object.values(map)) columnsOf(rule, found);
  }
  return [...found];
}
