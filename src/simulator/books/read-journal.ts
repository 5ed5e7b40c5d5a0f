import type { Readable } from "node:stream";
import { request } from "undici";
import type { JournalLine } from "./journal-books.ts";

interface AdminNeeds {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The journal since a moment, line by line; null where the adapter has none to show, as one that is not ours. */
export async function readJournal(
  { baseUrl, apiKey }: AdminNeeds,
  from: Date,
): Promise<AsyncIterable<JournalLine> | null> {
  const query = new URLSearchParams({ from: from.toISOString(), direction: "out" });
  const { statusCode, body } = await request(`${baseUrl}/admin/journal/export?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (statusCode !== 200) {
    await body.dump();
    return null;
  }
  return parsed(body);
}

/** By hand: the reader of lines that Node has ends without a word where the connection breaks. */
async function* parsed(body: Readable): AsyncGenerator<JournalLine> {
  let rest = "";
  for await (const chunk of body.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    // Lines of the adapter's own export, whose form is documented.
    for (const line of lines) yield JSON.parse(line) as JournalLine;
  }
  // As above.
  if (rest !== "") yield JSON.parse(rest) as JournalLine;
}
