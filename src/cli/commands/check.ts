import { resolve } from "node:path";
import { styleText } from "node:util";
import type { LoadedConfig } from "../../config/load-config.ts";
import { receiptTopic } from "../../contract/change-receipt.ts";
import { NotUtf8, readText } from "../../kit/files/read-text.ts";
import type { CheckedConnector, CheckedDeployment, CheckedForward } from "../../runtime/check/check-deployment.ts";
import type { CheckedEvent } from "../../runtime/check/dry-run-events.ts";
import type { CheckedRecord } from "../../runtime/check/try-queries.ts";
import { CommandFailure, defineCommand, type ExitName, type Terminal } from "../command.ts";

const defaultRecords = 3;
const maxRecords = 50;

export const checkCommand = defineCommand({
  name: "check",
  summary: "check the configuration against the external systems",
  details:
    "Opens every connector, tests the connection, runs every query and shows what the platform would get, each error " +
    "beside its source field, and the request for an example of each event. Nothing is changed outside. If standard output is not a " +
    "terminal, only errors are printed.",
  arguments: [
    {
      name: "file",
      description: "with --event: JSON file with the event; without it an example is used",
      isOptional: true,
    },
  ],
  options: {
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    offline: { description: "check only the configuration and its mappings; open no connector" },
    records: { value: "NUMBER", description: `records to check per query and source (${defaultRecords})` },
    effective: {
      description: "print the effective configuration: presets expanded, defaults filled in, secrets masked",
    },
    event: {
      value: "NAME",
      description: "show only the request for this event, such as confirmStep; notices: for a receipt",
    },
    verbose: { description: "print everything, even if standard output is not a terminal" },
    json: { description: "print the whole result as JSON" },
  },
  examples: [
    { command: "crossdock check", does: "checks crossdock.yaml and every external system in it" },
    { command: "crossdock check --offline", does: "checks the file alone, for a build" },
    {
      command: "crossdock check --event confirmStep pick.json",
      does: "shows the request for this pick",
    },
    { command: "crossdock check --effective", does: "prints the configuration with presets expanded" },
    { command: "crossdock check --json > result.json", does: "keeps the result for a tool" },
  ],
  run: async ({ options, arguments: { file }, terminal }) => {
    if (options.event !== undefined) return showEvent({ name: options.event, file, config: options.config, terminal });
    if (file !== "") throw new CommandFailure(`${file} is not used`, { next: "name its event: --event confirmStep" });
    const records = readRecords(options.records);
    const { loadConfig } = await import("../../config/load-config.ts");
    const withoutSecrets = options.offline || options.effective;
    const loaded = await loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd, withoutSecrets });
    const print = (text: string) => terminal.print(loaded.redact(text));
    if (options.effective) {
      const [{ stringify }, { shownConfig }] = await Promise.all([
        import("yaml"),
        import("../../config/document/shown-config.ts"),
      ]);
      print(stringify(shownConfig(loaded), { aliasDuplicateObjects: false }).trimEnd());
      return "ok";
    }
    const isWhole = terminal.isInteractive || options.verbose;
    const { checkDeployment, checkOffline } = await import("../../runtime/check/check-deployment.ts");
    const results = [];
    for (const one of await allIn(loaded, terminal, withoutSecrets)) {
      const checked = options.offline ? await checkOffline(one) : await checkDeployment(one, { records });
      results.push(checked);
      if (options.json) continue;
      const say = (text: string) => terminal.print(one.redact(text));
      const shown = one.source ?? "no configuration file: all defaults";
      for (const line of describeCheck(checked, { isWhole, colour: terminal.colour })) say(line);
      if (isWhole) say(summary(checked, options.offline, shown));
    }
    if (options.json) print(JSON.stringify(loaded.config.deployments === undefined ? results[0] : results, null, 2));
    return results.every(({ ok }) => ok) ? "ok" : "failed";
  },
});

/** Returns the configuration itself, or those of all its deployments. */
async function allIn(loaded: LoadedConfig, { env, cwd }: Terminal, withoutSecrets: boolean): Promise<LoadedConfig[]> {
  const { config, settings, source } = loaded;
  if (config.deployments === undefined || source === null) return [loaded];
  const { loadDeployments } = await import("../../app/deployments/load-deployments.ts");
  const { folder } = config.deployments;
  const all = await loadDeployments({ source, folder, dataFolder: settings.dataFolder, env, cwd, withoutSecrets });
  return all.map((one) => one.loaded);
}

/** Shows the request for one event. Nothing is sent and no external system is called. */
async function showEvent(asked: {
  name: string;
  file: string;
  config: string | undefined;
  terminal: Terminal;
}): Promise<ExitName> {
  const { terminal, file } = asked;
  const [{ loadConfig }, { checkEvent }, { exampleOf, eventIds }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../runtime/check/check-deployment.ts"),
    import("../../runtime/check/dry-run-events.ts"),
  ]);
  const name = asked.name.toLowerCase();
  // The name of their setting.
  const event = name === "notices" ? receiptTopic : eventIds.find((id) => id.toLowerCase() === name);
  if (event === undefined) {
    throw new CommandFailure(`there is no event ${asked.name}`, { next: `choose one of ${eventIds.join(", ")}` });
  }
  const loaded = await loadConfig({ file: asked.config, env: terminal.env, cwd: terminal.cwd });
  const input = file === "" ? exampleOf(event) : readEvent(resolve(terminal.cwd, file));
  const checked = await checkEvent(loaded, { event, input });
  if (checked === null) {
    throw new CommandFailure(`${event} has no target`, { next: "name a connector under events.to" });
  }
  const lines = describeEvent(checked.connector, checked, { isWhole: true, colour: terminal.colour });
  for (const line of lines) terminal.print(loaded.redact(line));
  return checked.error === undefined ? "ok" : "failed";
}

function readEvent(file: string): unknown {
  try {
    return JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof NotUtf8) throw error;
    throw new CommandFailure(`${file} is not a valid event: ${(error as Error).message}`, {
      next: "give a file with the JSON body that the platform sends",
    });
  }
}

function summary({ ok, connectors, forward }: CheckedDeployment, isOffline: boolean, source: string): string {
  if (!ok) return "There are errors; see above.";
  if (isOffline) return `The configuration is valid: ${source}`;
  const isAlone = connectors.length === 0 && forward.length === 0;
  return isAlone ? `Valid; no external system is configured: ${source}` : `No errors: ${source}`;
}

function readRecords(given: string | undefined): number {
  if (given === undefined) return defaultRecords;
  if (/^\d{1,2}$/.test(given) && Number(given) >= 1 && Number(given) <= maxRecords) return Number(given);
  throw new CommandFailure(`--records ${given} is not a number from 1 to ${maxRecords}`, {
    next: `leave it out for ${defaultRecords}`,
  });
}

const maxShown = 1_500;

/** The text of a check result; with `isWhole` it also lists what is in order. */
function describeCheck(
  { connectors, forward, problems, switchedOff, warnings }: CheckedDeployment,
  { isWhole, colour }: { isWhole: boolean; colour: boolean },
): string[] {
  const paint = painter(colour);
  const bad = (text: string) => `${paint("red", "✗")} ${text}`;
  const good = (text: string) => (isWhole ? [`${paint("green", "✓")} ${text}`] : []);
  return [
    ...problems.map(({ source, line, column, text, hint }) =>
      bad(
        `${source}${line === undefined ? "" : `:${line}:${column}`}: ${text}${hint === undefined ? "" : `\n    ${hint}`}`,
      ),
    ),
    ...connectors.flatMap((one) => connectorLines(one)),
    ...forward.flatMap((one) => forwardLines(one)),
    ...switchedOff.flatMap((name) => good(`serve.${name} is switched off: the platform gets AdapterNotDefined`)),
    ...warnings.map((text) => `${paint("yellow", "!")} ${text}`),
  ];

  function connectorLines(connector: CheckedConnector): string[] {
    const { name, type, queries, takes, bringsIn, errors, records, notes, events } = connector;
    const offers = [
      queries.length === 0 ? [] : [`answers ${queries.join(", ")}`],
      takes.length === 0 ? [] : [`takes ${takes.length} ${takes.length === 1 ? "kind" : "kinds"} of events`],
      bringsIn ? ["brings data in by itself"] : [],
    ].flat();
    const head = `${name} (${type})`;
    return [
      ...(errors.length === 0
        ? good(`${head} is reachable; it ${offers.join(", ") || "offers nothing"}`)
        : errors.map((text) => bad(`${head}: ${text}`))),
      ...records.flatMap((record) => recordLines(name, record)),
      ...events.flatMap((event) => describeEvent(name, event, { isWhole, colour })),
      ...notes.map((text) => `${paint("yellow", "!")} ${head}: ${text}`),
    ];
  }

  function forwardLines({ topic, mode, method, url, body, errors }: CheckedForward): string[] {
    const head = `platform.forward.${topic}`;
    const kept = mode === "serve" ? "; new pushes are only served, waiting ones are still sent" : "";
    return [
      ...errors.map((text) => bad(`${head}: ${text}`)),
      ...(errors.length === 0 ? good(`${head}: a push would be sent to the platform as${kept}`) : []),
      ...(isWhole ? [`    ${method} ${url}`, ...(body === undefined ? [] : [indented(body)])] : []),
    ];
  }

  function recordLines(name: string, { serves, raw, record, problems }: CheckedRecord): string[] {
    if (problems.length === 0) {
      return isWhole ? [...good(`${name}, ${serves}: the platform would get`), indented(record)] : [];
    }
    return [
      bad(`${name}, ${serves}: this record would be quarantined`),
      ...problems.map(({ field, source, text }) => {
        const from = source === undefined ? "" : ` (from ${source})`;
        return `    ${text.startsWith(field) ? text : `${field}: ${text}`}${from}`;
      }),
      paint("dim", indented(raw)),
    ];
  }
}

/** The request for an event. Without `isWhole` it is shown only if it has an error. */
function describeEvent(
  name: string,
  { event, requests, error }: CheckedEvent,
  { isWhole, colour }: { isWhole: boolean; colour: boolean },
): string[] {
  const paint = painter(colour);
  const mark = (isGood: boolean) => (isGood ? paint("green", "✓") : paint("red", "✗"));
  if (error !== undefined) return [`${mark(false)} ${name}, ${event}: cannot be sent: ${error}`];
  if (!isWhole) return [];
  if (requests.length === 0)
    return [`${mark(true)} ${name}, ${event}: nothing would be sent, because its condition is not met`];
  return [
    `${mark(true)} ${name}, ${event}: would be sent as`,
    ...requests.flatMap(({ to, headers = {}, body }) => [
      `    ${to}`,
      ...Object.entries(headers).map(([header, value]) => `    ${paint("dim", `${header}: ${value}`)}`),
      ...(body === undefined ? [] : [typeof body === "string" ? body.replaceAll(/^/gm, "    ") : indented(body)]),
    ]),
  ];
}

const painter = (colour: boolean) => (style: Parameters<typeof styleText>[0], text: string) =>
  colour ? styleText(style, text, { validateStream: false }) : text;

function indented(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "nothing";
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text;
  return shown.replaceAll(/^/gm, "    ");
}
