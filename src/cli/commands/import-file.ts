import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { styleText } from "node:util";
import { FileType } from "../../contract/enums.ts";
import type { Item, WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Detected, FileProblem, FileReading } from "../../formats/import/file-reading.ts";
import { defaultLanguage, type Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { Message } from "../../messages/message.ts";
import { CommandFailure, defineCommand } from "../command.ts";
import { oneLine, textTable } from "../describe/terminal-text.ts";

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
    const [{ loadConfig }, { doubtsOf, readItemFile, readWorkOrderFile }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../formats/import/read-file.ts"),
    ]);
    const { config } = await loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
    const settings = { ...config.files, dates: { timeZone: config.timeZone, timeOfDay: config.timeOfDay } };
    const fileType = file.toLowerCase().endsWith(".json") ? FileType.Json : FileType.Csv;
    const imported = options.items
      ? ({ subject: "items", reading: readItemFile(bytes, fileType, settings) } as const)
      : ({ subject: "workOrders", reading: readWorkOrderFile(bytes, fileType, settings) } as const);
    const view = { fileName: basename(path), language: defaultLanguage, colour: terminal.colour };
    const doubts = imported.reading.ok ? doubtsOf<WorkOrder | Item>(imported.reading) : null;
    terminal.print(options.json ? JSON.stringify(imported.reading, null, 2) : describeImport(imported, doubts, view));
    return imported.reading.ok ? "ok" : "failed";
  },
});

type ImportReading =
  | { readonly subject: "workOrders"; readonly reading: FileReading<WorkOrder> }
  | { readonly subject: "items"; readonly reading: FileReading<Item> };

interface ImportView {
  readonly fileName: string;
  readonly language: Language;
  readonly colour: boolean;
}

const shownRecords = 10;

/** The detected format of a file and its content: the orders, or every error with its row. */
function describeImport(
  imported: ImportReading,
  doubts: Message | null,
  { fileName, language, colour }: ImportView,
): string {
  const { reading } = imported;
  const paint = (style: "bold" | "red" | "green" | "yellow", text: string) => (colour ? styleText(style, text) : text);
  const parts = [paint("bold", oneLine(fileName))];
  if (reading.detected !== null) parts.push(detectedText(reading.detected));
  if (reading.ok) {
    const count = reading.records.length;
    parts.push(
      paint("green", `${count} ${wordFor(imported.subject, count)} would be imported.`),
      firstRecords(imported),
    );
    const { leftOut = 0 } = reading.notes ?? {};
    if (leftOut > 0) parts.push(paint("yellow", `${leftOut} ${leftOut === 1 ? "row" : "rows"} left out by \`where\`.`));
    if (doubts !== null) parts.push(paint("yellow", oneLine(localise(doubts, language))));
    if (reading.withheld !== null) {
      const { recordCount, problems, problemCount } = reading.withheld;
      parts.push(paint("yellow", `${recordCount} withheld:`), problemsText(problems, problemCount, language));
    }
  } else {
    parts.push(paint("red", `${reading.result}: ${oneLine(localise(reading.message, language))}`));
    const isRepeated = reading.problems.length === 1 && reading.problems[0]?.text === reading.message;
    if (!isRepeated) parts.push(problemsText(reading.problems, reading.problemCount, language));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

function wordFor(subject: ImportReading["subject"], count: number): string {
  const word = subject === "workOrders" ? "work order" : "item";
  return count === 1 ? word : `${word}s`;
}

const delimiterNames: Readonly<Record<string, string>> = { ";": "semicolon", ",": "comma", "\t": "tab", "|": "pipe" };
const basisWords = {
  profile: "set by the profile",
  evidence: "shown by the file",
  convention: "usual for such files",
  none: "nothing in the file depends on it",
};

function detectedText(detected: Detected): string {
  const facts: string[][] = [
    ["Read as", `${detected.kind.toUpperCase()}, ${Math.round(detected.confidence * 100)} % sure`],
    ["Encoding", detected.encoding],
  ];
  const { delimiter, decimalSign, decimalBasis, dateOrder, dateBasis, profile } = detected;
  if (profile !== null) facts.push(["Profile", profile]);
  if (delimiter !== undefined) facts.push(["Delimiter", delimiterNames[delimiter] ?? delimiter]);
  if (detected.headerRow !== undefined) facts.push(["Header", `row ${detected.headerRow}`]);
  if (decimalSign !== undefined)
    facts.push(["Decimal sign", `${decimalSign}  (${basisWords[decimalBasis ?? "none"]})`]);
  if (dateOrder !== undefined) facts.push(["Date order", `${dateOrder}  (${basisWords[dateBasis ?? "none"]})`]);
  const columns = detected.columns.map(({ header, field }) => [header, field === null ? "not used" : `→ ${field}`]);
  return columns.length === 0
    ? textTable(facts)
    : `${textTable(facts)}\n\n${textTable([["Column", "Field"], ...columns])}`;
}

function firstRecords({ subject, reading }: ImportReading): string {
  if (!reading.ok || reading.records.length === 0) return "";
  const rows = subject === "workOrders" ? orderRows(reading.records) : itemRows(reading.records);
  const rest = reading.records.length - shownRecords;
  return rest > 0 ? `${textTable(rows)}\n… and ${rest} more` : textTable(rows);
}

function orderRows(orders: readonly WorkOrder[]): string[][] {
  const lines = (order: WorkOrder) => {
    const first = order.requests.slice(0, 3).map((line) => `${line.requestedAmount} × ${line.itemNumber}`);
    return order.requests.length > 3 ? `${first.join(", ")}, …` : first.join(", ");
  };
  return [
    ["Number", "Due", "Lines", "Storage", "First lines"],
    ...orders
      .slice(0, shownRecords)
      .map((order) => [
        order.number,
        order.dueDate,
        String(order.requests.length),
        order.designatedStorageName ?? "",
        lines(order),
      ]),
  ];
}

function itemRows(items: readonly Item[]): string[][] {
  return [
    ["Number", "Name", "Unit", "Manufacturer"],
    ...items
      .slice(0, shownRecords)
      .map((item) => [item.number, item.name ?? "", String(item.unitOfMeasure ?? 0), item.manufacturer ?? ""]),
  ];
}

function problemsText(problems: readonly FileProblem[], count: number, language: Language): string {
  const lines = problems.map(({ text }) => `  ${oneLine(localise(text, language))}`);
  if (count > problems.length) lines.push(`  … and ${count - problems.length} more`);
  return lines.join("\n");
}
