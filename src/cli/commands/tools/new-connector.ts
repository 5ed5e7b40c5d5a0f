import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandFailure, type CommandGroup, defineCommand } from "../../command.ts";

const newConnectorCommand = defineCommand({
  name: "connector",
  summary: "create your own connector",
  details:
    "Copies a small, working connector into a folder of that name. The file needs no installed packages: crossdock/sdk is the " +
    "SDK of the adapter that opens it.",
  arguments: [{ name: "name", description: "letters, digits and -" }],
  options: {},
  examples: [{ command: "crossdock new connector my-erp", does: "creates my-erp/connector.ts" }],
  run: async ({ arguments: { name }, terminal }) => {
    if (!/^[a-z][a-z0-9-]{0,40}$/i.test(name)) {
      throw new CommandFailure(`${JSON.stringify(name)} cannot be the name of a connector`, {
        next: "use letters, digits and -, such as my-erp",
      });
    }
    const folder = resolve(terminal.cwd, name);
    if (existsSync(folder)) {
      throw new CommandFailure(`${folder} already exists`, { next: "choose another name, or remove it first" });
    }
    mkdirSync(folder, { recursive: true });
    cpSync(templateFolder(), folder, { recursive: true });
    const file = join(folder, "connector.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace('type: "my-connector"', `type: ${JSON.stringify(name)}`));
    terminal.print(
      [
        `${join(name, "connector.ts")} is ready. Name it in crossdock.yaml:`,
        "",
        "connectors:",
        "  erp:",
        "    type: module",
        `    path: ./${name}/connector.ts`,
        "    options:",
        "      address: https://erp.example.com/api",
        "serve:",
        "  codeLookup: erp",
        "events:",
        "  to: erp",
        "",
        "Next: crossdock check",
      ].join("\n"),
    );
    return "ok";
  },
});

/** The template is shipped as source even in a build, so that it can be read. */
function templateFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, "src/connectors/_template");
}

export const newCommands: CommandGroup = {
  name: "new",
  summary: "create your own extension",
  details: "Creates files to start from; overwrites nothing.",
  commands: [newConnectorCommand],
};
