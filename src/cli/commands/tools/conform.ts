import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Report } from "../../../tools/conformance/conformance-report.ts";
import type { ConformanceOptions } from "../../../tools/conformance/run-conformance.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { givenApiKey } from "../../given-api-key.ts";

export const conformCommand = defineCommand({
  name: "conform",
  summary: "check any adapter against the contract",
  details:
    "Read-only by default: it only sends queries, imports nothing and sends no event, so that it can be run against " +
    "production. --full also sends events and imports files, with numbers that begin with CONFORM- if the adapter allows it: " +
    "use a test system. Every finding names the sentence it is based on. An operation that the adapter does not offer is not a finding.",
  arguments: [{ name: "url", description: "address of the adapter, with its base path" }],
  options: {
    full: { description: "also send events and import files" },
    apiKey: {
      value: "KEY",
      description:
        "key of the inbound routes (else CROSSDOCK_API_KEY or CROSSDOCK_API_KEY_FILE): workflows bring their own orders",
    },
    order: { value: "NUMBER", description: "a work order that a scan finds" },
    storage: { value: "NAME", description: "the storage it is scanned in" },
    item: { value: "NUMBER", description: "a known item" },
    header: {
      value: "HEADER",
      description: "sent with every request, such as 'Authorization: Bearer …' for a gateway",
    },
    only: {
      value: "NAMES",
      description: "only these endpoints, by their names in the report, with commas: getItem,workflow",
    },
    contractOnly: { description: "leave out what only docs/reference/behaviour.md requires, not the contract" },
    budgetFactor: { value: "NUMBER", description: "multiplies the time budgets, such as 3 for a slow network" },
    junit: { value: "FILE", description: "write the report as JUnit XML" },
    json: { value: "FILE", description: "write the report as JSON" },
    html: { value: "FILE", description: "write the report as one HTML file" },
  },
  examples: [
    { command: "crossdock conform http://127.0.0.1:8080", does: "sends queries only" },
    {
      command: "crossdock conform --full --html report.html http://127.0.0.1:8080",
      does: "runs everything and writes an HTML page",
    },
    { command: "crossdock conform --junit conform.xml https://adapter.example.com/wms", does: "for a build server" },
  ],
  run: async ({ arguments: { url }, options, terminal }) => {
    const { runConformance, groups, textReport, junitReport, htmlReport, NoAdapter } = await import(
      "../../../tools/conformance/index.ts"
    );
    const { draw } = terminal;
    const apiKey = await givenApiKey(options.apiKey, terminal);
    const settings: ConformanceOptions = {
      url: addressFrom(url),
      level: options.full ? "full" : "read-only",
      isContractOnly: options.contractOnly,
      budgetFactor: factorFrom(options.budgetFactor),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(options.order === undefined ? {} : { order: options.order }),
      ...(options.storage === undefined ? {} : { storage: options.storage }),
      ...(options.item === undefined ? {} : { item: options.item }),
      ...(options.only === undefined ? {} : { only: groupsFrom(options.only, groups()) }),
      ...(options.header === undefined ? {} : { headers: headerFrom(options.header) }),
      ...(draw === undefined
        ? {}
        : {
            onProgress: ({ done, total, current, findings }) =>
              draw(
                `${bar(done / total)} ${done}/${total}  ${findings === 0 ? "" : `${findings} findings  `}${current}`,
              ),
          }),
    };
    const report = await runConformance(settings).catch((error: unknown) => {
      if (!(error instanceof NoAdapter)) throw error;
      throw new CommandFailure(error.message, {
        next: "check the address with its base path, and whether the adapter is running",
      });
    });
    draw?.("");
    terminal.print(textReport(report, { colour: terminal.colour }));
    const writers: readonly (readonly [file: string | undefined, write: (report: Report) => string])[] = [
      [options.junit, junitReport],
      [options.json, (made) => `${JSON.stringify(made, null, 2)}\n`],
      [options.html, htmlReport],
    ];
    for (const [file, write] of writers) {
      if (file === undefined) continue;
      await writeFile(resolve(terminal.cwd, file), write(report)).catch(() => {
        throw new CommandFailure(`${file} cannot be written`, {
          next: "check the folder and its permissions",
        });
      });
    }
    return report.failed === 0 ? "ok" : "failed";
  },
});

function addressFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new CommandFailure(`${text} is not an address of an adapter`, { next: "write it like http://127.0.0.1:8080" });
}

function groupsFrom(text: string, known: readonly string[]): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new CommandFailure(`there are no checks of ${unknown.join(", ")}`, { next: `choose from ${known.join(", ")}` });
}

function factorFrom(text: string | undefined): number {
  const factor = Number(text ?? 1);
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw new CommandFailure(`${text} is not a factor`, { next: "write a number above 0, such as --budget-factor 3" });
}

function headerFrom(text: string): Record<string, string> {
  const [, name, value] = /^([\w-]+)\s*:\s*(.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { [name.toLowerCase()]: value };
  // The message does not repeat the header, which may contain a token.
  throw new CommandFailure("the header is not of the form Name: value", { next: "quote it: --header 'Name: value'" });
}

const barLength = 24;
const bar = (share: number) => {
  const full = Math.round(share * barLength);
  return "█".repeat(full) + "░".repeat(barLength - full);
};
