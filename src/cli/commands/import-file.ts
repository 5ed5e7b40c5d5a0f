import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";

export const importFileCommand = defineCommand({
  name: "import",
  summary: "show what the file endpoints would make of a file",
  arguments: [{ name: "file", description: "a CSV or JSON file of work orders or items" }],
  options: {
    items: { description: "the file holds items, not work orders" },
    json: { description: "print the result as JSON" },
    config: { value: "FILE", description: "configuration file with file profiles (else CROSSDOCK_CONFIG)" },
  },
  examples: [{ command: "crossdock import orders.csv", does: "shows the orders, or every error beside its row" }],
  run: async ({ arguments: { file } }) => {
    throw new CommandFailure(`${file} cannot be read yet`, { next: "send it to the file endpoint" });
  },
});
