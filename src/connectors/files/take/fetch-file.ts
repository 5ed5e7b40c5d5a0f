import { readFile } from "node:fs/promises";
import type { RecordReader } from "../read/record-reader.ts";
import type { Place } from "../store/file-store.ts";
import type { Spool, SpooledFile } from "../store/spool.ts";

/** A JSON or XML document is parsed as one value, which takes ten times its size in memory. */
const mostWholeMiB = 64;

/** A file to read: its bytes, a copy if it is a large CSV file, or a refusal if it is too large for its format. Null if it is gone. */
export async function fetchFile(
  place: Place,
  needs: { readonly spool: Spool; readonly reader: RecordReader; readonly maxBytes: number },
): Promise<Buffer | SpooledFile | null | { readonly tooLarge: string }> {
  const { spool, reader, maxBytes } = needs;
  const found = await spool.fetch(place, maxBytes);
  if (found === "too-large") {
    const limit = `${Math.floor(maxBytes / 2 ** 20)} MiB`;
    return { tooLarge: `the file is larger than ${limit}; split it, or raise \`maxMiB\`` };
  }
  if (found === null || Buffer.isBuffer(found) || reader.isStreamed(place.name, found.start)) return found;
  try {
    if (found.size <= mostWholeMiB * 2 ** 20) return await readFile(found.path);
    return {
      tooLarge: `JSON and XML files are read up to ${mostWholeMiB} MiB, whatever \`maxMiB\` says; split it, or write CSV`,
    };
  } finally {
    await found.remove();
  }
}
