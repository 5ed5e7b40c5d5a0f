import type { CheckedDeployment } from "../../app/check-deployment.ts";
import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";

const defaultRecords = 3;
const maxRecords = 50;

export const checkCommand = defineCommand({
  name: "check",
  summary: "check the configuration against the external systems",
  details:
    "Opens every connector, tests the connection, fetches a few records and shows what the platform would get of them, " +
    "each mistake beside the source field it comes from. Nothing is changed outside. Where standard output is no " +
    "terminal only mistakes are printed.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    offline: { description: "look at the configuration and its mappings only; open no connector" },
    records: { value: "NUMBER", description: `records to look at per question and source (${defaultRecords})` },
    verbose: { description: "print everything, also where standard output is no terminal" },
    json: { description: "print the whole result as JSON" },
  },
  examples: [
    { command: "crossdock check", does: "checks crossdock.yaml and every system it names" },
    { command: "crossdock check --offline", does: "checks the file alone, for a build" },
    { command: "crossdock check --json > result.json", does: "keeps the result for a tool" },
  ],
  run: async ({ options, terminal }) => {
    const records = readRecords(options.records);
    const { loadConfig } = await import("../../app/load-config.ts");
    const loaded = await loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
    const print = (text: string) => terminal.print(loaded.redact(text));
    const isWhole = terminal.isInteractive || options.verbose;
    const shown = loaded.source ?? "no configuration file: all defaults";
    const [{ checkDeployment, checkOffline }, { describeCheck }] = await Promise.all([
      import("../../app/check-deployment.ts"),
      import("../describe-check.ts"),
    ]);
    const checked = options.offline ? await checkOffline(loaded) : await checkDeployment(loaded, { records });
    if (options.json) print(JSON.stringify(checked, null, 2));
    else {
      const lines = describeCheck(checked, { isWhole, colour: terminal.colour });
      for (const line of lines) print(line);
      if (isWhole) print(summary(checked, options.offline, shown));
    }
    return checked.ok ? "ok" : "failed";
  },
});

function summary({ ok, connectors, forward }: CheckedDeployment, isOffline: boolean, source: string): string {
  if (!ok) return "There is something to mend; see above.";
  if (isOffline) return `The configuration is valid: ${source}`;
  const isAlone = connectors.length === 0 && forward.length === 0;
  return isAlone ? `Valid, and no external system is named: ${source}` : `All is well: ${source}`;
}

function readRecords(given: string | undefined): number {
  if (given === undefined) return defaultRecords;
  if (/^\d{1,2}$/.test(given) && Number(given) >= 1 && Number(given) <= maxRecords) return Number(given);
  throw new CommandFailure(`--records ${given} is no number from 1 to ${maxRecords}`, {
    next: `leave it out for ${defaultRecords}`,
  });
}
