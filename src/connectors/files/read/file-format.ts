import type { FileFormat } from "../options.ts";

/** How a file is written: by its first sign, which does not lie as names do, else by its extension. */
export function fileFormat(name: string, bytes: Uint8Array): FileFormat {
  const start = Buffer.from(bytes.subarray(0, 64))
    .toString("latin1")
    .replace(/\0/g, "")
    .replace(/^(?:ï»¿|ÿþ|þÿ)/, "")
    .trimStart()[0];
  if (start === "{" || start === "[") return "json";
  if (start === "<") return "xml";
  const extension = /\.(json|xml)$/i.exec(name)?.[1]?.toLowerCase();
  return extension === "json" || extension === "xml" ? extension : "csv";
}
