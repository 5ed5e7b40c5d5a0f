import { FileType } from "../../../contract/enums.ts";
import { operationRow } from "../../../contract/operations.ts";
import type { Check, Level } from "../conformance-check.ts";
import { expectRefusal, expectResult, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, isObject, resultOf, statusOf } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";
import { type Basis, sentences } from "../sentences.ts";

const fileOperations = ["parseWorkOrderFile", "parseItemFile"] as const;
type FileOperation = (typeof fileOperations)[number];
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");
const upload = (fileContent: string, fileType: number) => ({ fileContent, fileType });

const order = (number: string, itemNumber: string) => ({
  number,
  dueDate: "2030-01-31T08:00:00Z",
  requests: [{ itemNumber, requestedAmount: 3 }],
});
const element = (operation: FileOperation, number: string): object =>
  operation === "parseItemFile" ? { number, name: "Bolt" } : order(number, "0815");
const csvOf = (operation: FileOperation, numbers: readonly string[]): string =>
  operation === "parseItemFile"
    ? ["number;name", ...numbers.map((number) => `${number};Bolt`), ""].join("\r\n")
    : ["number;dueDate;itemNumber;requestedAmount", ...numbers.map((number) => `${number};2030-01-31;0815;3`), ""].join(
        "\r\n",
      );

/** Elements without required members. They are refused, so no adapter stores them. */
const badJson = (operation: FileOperation, runId: string) => {
  const number = inventedNumber(runId, "BAD");
  const bad = [operation === "parseItemFile" ? { name: "without number" } : { ...order(number, ""), requests: [] }];
  return upload(base64(JSON.stringify(bad)), FileType.Json);
};
const badCsv = (operation: FileOperation) => upload(base64(csvOf(operation, [""])), FileType.Csv);

/**
 * Sends a good file before any damaged one, to find out whether files are read at all: an endpoint that the adapter
 * does not need gives the same answer to everything.
 */
export async function promptForFiles(trial: Pick<Trial, "call" | "runId">): Promise<void> {
  for (const operation of fileOperations) {
    const exchange = await trial.call(operation, badJson(operation, trial.runId), { expectation: "doubtful" });
    if (resultOf(exchange) === "FileNotSupported")
      await trial.call(operation, badCsv(operation), { expectation: "doubtful" });
  }
}

const pngHead = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
const zipHead = Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const unknownType = 1 + Math.max(...Object.values(FileType));
const bigFileOrders = 2_000;

const numbersIn = ({ answer }: Exchange): readonly unknown[] => {
  const data = answer?.["data"];
  return Array.isArray(data) ? data.filter(isObject).map((one) => one["number"]) : [];
};

/** Imports a file and checks that the numbers come back unchanged. */
async function expectImported(
  trial: Trial,
  operation: FileOperation,
  file: string,
  type: number,
  numbers: readonly string[],
) {
  const exchange = await trial.call(
    operation,
    upload(base64(file), type),
    numbers.length > 10 ? { isLarge: true } : {},
  );
  skipUnlessServed(trial, exchange);
  if (resultOf(exchange) === "FileNotSupported") trial.skip("this kind of file is not supported");
  if (!expectResult(trial, exchange, [operationRow(operation).success])) return;
  const found = new Set(numbersIn(exchange));
  const lost = numbers.filter((number) => !found.has(number));
  if (lost.length > 0) trial.complain(exchange, `${lost.slice(0, 3).join(", ")} among the numbers read`);
}

interface FileCheck {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly level: Level;
  readonly basis: Basis;
  readonly run: (trial: Trial, operation: FileOperation) => Promise<void>;
}

const fileChecks: readonly FileCheck[] = [
  {
    id: "damaged-base64",
    title: "damaged Base64 is InvalidInput",
    hint: "Check the alphabet and the padding: most decoders skip what they do not know and read another file.",
    level: "read-only",
    basis: sentences.fileUpload,
    run: async (trial, operation) => {
      for (const content of ["%%%not base64%%%", "data:text/csv;base64,AAAA"]) {
        const exchange = await trial.call(operation, upload(content, FileType.Csv), { expectation: "doubtful" });
        skipUnlessServed(trial, exchange);
        const isRefused = statusOf(exchange) === 400 || resultOf(exchange) === "InvalidInput";
        if (!isRefused) trial.complain(exchange, "InvalidInput");
      }
    },
  },
  {
    id: "empty-file",
    title: "an empty file is InvalidInput",
    hint: "No success without content: the operator would believe that something was imported.",
    level: "read-only",
    basis: sentences.fileUpload,
    run: async (trial, operation) => {
      const exchange = await trial.call(operation, upload("", FileType.Csv), { expectation: "doubtful" });
      skipUnlessServed(trial, exchange);
      const isRefused = statusOf(exchange) === 400 || resultOf(exchange) === "InvalidInput";
      if (!isRefused) trial.complain(exchange, "InvalidInput");
    },
  },
  {
    id: "unknown-type",
    title: "an unknown file type is FileNotSupported",
    hint: "Only 0 (JSON) and 1 (CSV) have a meaning.",
    level: "read-only",
    basis: sentences.entityResults,
    run: async (trial, operation) => {
      const exchange = await trial.call(operation, upload(base64("a;b\r\n"), unknownType), { expectation: "doubtful" });
      if (statusOf(exchange) !== 400) expectResult(trial, exchange, ["FileNotSupported", "InvalidInput"]);
    },
  },
  {
    id: "other-bytes",
    title: "pictures and archives are refused, not read",
    hint: "Look at the first bytes: an Excel workbook is a ZIP archive.",
    level: "read-only",
    basis: sentences.entityResults,
    run: async (trial, operation) => {
      for (const bytes of [pngHead, zipHead]) {
        const exchange = await trial.call(operation, upload(base64(bytes), FileType.Csv), { expectation: "doubtful" });
        if (statusOf(exchange) !== 400) expectResult(trial, exchange, ["FileNotSupported", "InvalidInput"]);
      }
    },
  },
  {
    id: "bad-rows",
    title: "a file with an error is refused, and says what is wrong",
    hint: "All or nothing, with every error in validationStatus: half an import is found out too late.",
    level: "read-only",
    basis: sentences.oneError,
    run: async (trial, operation) => {
      const exchange = await trial.call(operation, badJson(operation, trial.runId), { expectation: "doubtful" });
      skipUnlessServed(trial, exchange);
      if (resultOf(exchange) === "FileNotSupported") trial.skip("JSON files are not supported");
      expectRefusal(trial, exchange, "an element that lacks what is required");
    },
  },
  {
    id: "json",
    title: "a JSON file is read, as an array, as one object or below a name",
    hint: "Accept an array, one object, or { workOrders | items | data: [...] }.",
    level: "full",
    basis: sentences.files,
    run: async (trial, operation) => {
      const numbers = ["1", "2"].map((name) => inventedNumber(trial.runId, `0${name}`));
      const all = numbers.map((number) => element(operation, number));
      const named = { [operation === "parseItemFile" ? "items" : "workOrders"]: all };
      await expectImported(trial, operation, JSON.stringify(all), FileType.Json, numbers);
      await expectImported(trial, operation, JSON.stringify(named), FileType.Json, numbers);
      await expectImported(trial, operation, JSON.stringify(all[0]), FileType.Json, numbers.slice(0, 1));
    },
  },
  {
    id: "csv",
    title: "a CSV file is read, and numbers keep their leading zeros",
    hint: "Header row with the contract's names; identifiers are texts.",
    level: "full",
    basis: sentences.files,
    run: async (trial, operation) => {
      const numbers = [`000${trial.runId}1`, `000${trial.runId}2`];
      await expectImported(trial, operation, csvOf(operation, numbers), FileType.Csv, numbers);
    },
  },
  {
    id: "big-file",
    title: `a file of ${bigFileOrders} elements is read`,
    hint: "Raise the limit of the request body: defaults of 100 kB or 1 MB are too small for files.",
    level: "full",
    basis: sentences.budgets,
    run: async (trial, operation) => {
      const numbers = Array.from({ length: bigFileOrders }, (_, index) => inventedNumber(trial.runId, `F${index}`));
      const all = numbers.map((number) => ({ ...element(operation, number), description: "x".repeat(500) }));
      await expectImported(trial, operation, JSON.stringify(all), FileType.Json, numbers);
    },
  },
];

export const fileUploadChecks: readonly Check[] = fileOperations.flatMap((operation) =>
  fileChecks.map(
    (check): Check => ({
      ...check,
      id: `${operation}.${check.id}`,
      group: operation,
      run: (trial) => check.run(trial, operation),
    }),
  ),
);
