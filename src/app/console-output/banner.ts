import { styleText } from "node:util";
import { operations } from "../../contract/operations.ts";
import { pushes } from "../../contract/pushes.ts";
import type { ApiKey } from "../api-key.ts";

export interface BannerFacts {
  readonly version: string;
  /** The address with the base path, without a slash at the end. */
  readonly url: string;
  readonly apiKey: ApiKey;
  readonly dataFolder: string;
  /** The configuration file, or null for the defaults. */
  readonly configFile: string | null;
  /** How many deployments the process serves; absent: it is a single adapter. */
  readonly deployments?: number | undefined;
  /** What the sample warehouse loaded in this start; absent if nothing. */
  readonly sample?: {
    readonly orders: number;
    readonly items: number;
    readonly scanCode: string;
    readonly storage: string;
  };
}

/**
 * The text for the terminal after the start. Colours are used only if `colour` is set, because they would clutter a log
 * file.
 */
export function banner(
  given: BannerFacts,
  { colour, isInteractive = true }: { colour: boolean; isInteractive?: boolean },
): string {
  // A key in a log file would stay there for years, so only its location is shown there.
  const facts = isInteractive ? given : { ...given, apiKey: { ...given.apiKey, isNew: false } };
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    // The caller has already checked the terminal and NO_COLOR.
    colour ? styleText(style, text, { validateStream: false }) : text;
  const line = (name: string, value: string) => `  ${paint("dim", name.padEnd(8))} ${value}`;
  const { version, url, dataFolder, configFile, sample, deployments } = facts;
  return [
    "",
    `  ${paint(["bold", "green"], "Crossdock")} ${version} is running`,
    "",
    line("Address", paint("cyan", url)),
    deployments === undefined
      ? line("API docs", paint("cyan", `${url}/docs`))
      : line("Serves", `${deployments} deployments, each with a key of its own in ${dataFolder}/deployments`),
    line("API key", keyText(facts.apiKey)),
    line("Data", dataFolder),
    line("Config", configFile ?? "none, all defaults (see docs/reference/configuration.md)"),
    ...(sample === undefined ? [] : [line("Sample", `${sample.orders} orders and ${sample.items} items were loaded`)]),
    "",
    `  ${paint("bold", "Next steps")}`,
    ...nextSteps(facts).flatMap(({ text, command }) => [`  ${paint("dim", `# ${text}`)}`, `  ${command}`]),
    "",
    "  Stop with Ctrl+C.",
    "",
  ].join("\n");
}

function keyText({ key, isNew, file }: ApiKey): string {
  if (isNew) return `${key}  (shown once, kept in ${file ?? ""})`;
  return file === undefined ? "from CROSSDOCK_API_KEY" : `in ${file}`;
}

function nextSteps({ url, sample, apiKey, deployments }: BannerFacts): { text: string; command: string }[] {
  const code = sample?.scanCode ?? "4711";
  const storage = sample?.storage ?? "Main";
  // The key is shown only if it is on the screen anyway, because commands get copied into tickets and chats.
  const key = apiKey.isNew
    ? apiKey.key
    : apiKey.file === undefined
      ? "$CROSSDOCK_API_KEY"
      : `$(cat ${quoted(apiKey.file)})`;
  if (deployments !== undefined) {
    const command = `curl '${url}/deployments/status' -H "X-Api-Key: ${key}"`;
    return [{ text: "all deployments and their state", command }];
  }
  const order = '{"number":"4711","dueDate":"2030-01-31","requests":[{"itemNumber":"100100","requestedAmount":2}]}';
  return [
    { text: "the work orders the platform would get", command: `curl '${url}${operations.listWorkOrders.path}'` },
    {
      text: "push an order as the ERP would",
      command:
        `curl '${url}${pushes.workOrders.path}' -H "X-Api-Key: ${key}" ` +
        `-H 'Content-Type: application/json' -d '${order}'`,
    },
    {
      text: "scan an order on the floor",
      command: `curl '${url}${operations.findWorkOrderByCode.path}?Code=${encodeURIComponent(code)}&StorageName=${encodeURIComponent(storage)}'`,
    },
  ];
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`);
