import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { systemClock } from "../../kit/clock.ts";
import { defineCommand, type ExitName } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { filterMembers, filterOptions } from "../journal-filter.ts";
import { withAdapter } from "../with-adapter.ts";

export const journalExportCommand = defineCommand({
  name: "export",
  summary: "write entries with body, attempts and decisions, one JSON text per line",
  details: "Or as a table for a spreadsheet. Operators' addresses are masked unless --personal is given.",
  arguments: [],
  options: {
    ...filterOptions,
    format: { value: "FORMAT", description: "ndjson or csv (ndjson)", choices: ["ndjson", "csv"] },
    out: { value: "FILE", description: "file to write (else standard output)" },
    personal: { description: "show operators' addresses" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal export --from 7d --out week.ndjson", does: "writes the last seven days" },
    { command: "crossdock journal export --order 4711 --format csv > 4711.csv", does: "writes a table of an order" },
  ],
  run: async ({ options, terminal }) => {
    const members = filterMembers(options, systemClock.now());
    members.set("format", options.format ?? "ndjson");
    if (options.personal) members.set("show", "personal");
    const { out } = options;
    return withAdapter<ExitName>(options, terminal, async (client) => {
      const stream = await client.stream("/admin/journal/export", members);
      if (out !== undefined) {
        // Bodies are business data: for this user's eyes, as the data folder is.
        await pipeline(Readable.fromWeb(stream), createWriteStream(resolve(terminal.cwd, out), { mode: 0o600 }));
        return "ok";
      }
      let rest = "";
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        const end = (rest + text).lastIndexOf("\n");
        if (end >= 0) terminal.print((rest + text).slice(0, end));
        rest = (rest + text).slice(end + 1);
      }
      if (rest !== "") terminal.print(rest);
      return "ok";
    });
  },
});
