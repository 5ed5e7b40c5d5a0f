import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { FileType } from "../../contract/enums.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { CommandFailure, defineCommand } from "../command.ts";

export const importFileCommand = defineCommand({
  name: "import",
  summary: "show how the file endpoints would read a file",
  details:
    "Nothing is imported. Prints the detected format, the meaning of each column and the first records, " +
    "or every error beside its row. Exit code 1 if the endpoint would refuse the file.",
  arguments: [{ name: "file", description: "a CSV or JSON file of work orders or items" }],
  options: {
    items: { description: "the file contains items, not work orders" },
    json: { description: "print the result as JSON" },
    config: { value: "FILE", description: "configuration file with file profiles (else CROSSDOCK_CONFIG)" },
  },
  examples: [
    { command: "crossdock import orders.csv", does: "shows the orders, or every error beside its row" },
    { command: "crossdock import --items articles.csv", does: "the same for a file of items" },
    { command: "crossdock import --json orders.csv | jq .records", does: "passes the orders to another program" },
  ],
  run: async ({ arguments: { file }, options, terminal }) => {
    const path = resolve(terminal.cwd, file);
    const bytes = await readFile(path).catch(() => {
      throw new CommandFailure(`${file} cannot be read`, { next: "check the path and the file's permissions" });
    });
    const [{ loadConfig }, { readItemFile, readWorkOrderFile }, { describeImport }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../formats/import/read-file.ts"),
      import("../describe/describe-import.ts"),
    ]);
    const { config } = await loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
    const settings = { ...config.files, dates: { timeZone: config.timeZone, timeOfDay: config.timeOfDay } };
    const fileType = file.toLowerCase().endsWith(".json") ? FileType.Json : FileType.Csv;
    const imported = options.items
      ? ({ subject: "items", reading: readItemFile(bytes, fileType, settings) } as const)
      : ({ subject: "workOrders", reading: readWorkOrderFile(bytes, fileType, settings) } as const);
    const view = { fileName: basename(path), language: defaultLanguage, colour: terminal.colour };
    terminal.print(options.json ? JSON.stringify(imported.reading, null, 2) : describeImport(imported, view));
    return imported.reading.ok ? "ok" : "failed";
  },
});
