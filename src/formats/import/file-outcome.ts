import type { FileUpload } from "../../contract/schemas/queries.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import { say } from "../../messages/message.ts";
import { type Ok, type Outcome, ok, type Refusal, refuse } from "../../operation/outcome.ts";
import { noteValues } from "../csv/read-csv.ts";
import type { FileReading } from "./file-reading.ts";
import type { FileSettings } from "./file-settings.ts";
import { readItemFile, readWorkOrderFile } from "./read-file.ts";

/** The answer to POST /WorkOrders/File. The order numbers are remembered as known, not as available. */
export function workOrderFileOutcome(upload: FileUpload, settings: FileSettings): Outcome<"parseWorkOrderFile"> {
  const outcome = outcomeOf(upload, (bytes) => readWorkOrderFile(bytes, upload.fileType, settings));
  if (!outcome.ok) return outcome;
  const numbers = outcome.data.map((order) => order.number);
  return { ...outcome, facts: numbers.length === 0 ? [] : [{ topic: "knownOrders", lane: "", payload: { numbers } }] };
}

/** The answer to POST /Items/File. */
export const itemFileOutcome = (upload: FileUpload, settings: FileSettings): Outcome<"parseItemFile"> =>
  outcomeOf(upload, (bytes) => readItemFile(bytes, upload.fileType, settings));

function outcomeOf<Item>(
  upload: FileUpload,
  read: (bytes: Uint8Array) => FileReading<Item>,
): (Ok<Item[]> & { data: Item[] }) | Refusal<"InvalidInput" | "FileNotSupported"> {
  const bytes = decodeBase64(upload.fileContent);
  if (bytes === null) return withProblem("files.bad-base64");
  if (bytes.length === 0) return withProblem("files.empty");
  const reading = read(bytes);
  if (!reading.ok) {
    // Not a row problem: in a picture there are no rows to report.
    if (reading.result === "FileNotSupported") return refuse(reading.result, reading.message);
    const problems = reading.problems.map(({ text }) => text);
    return reading.problemCount === 0
      ? refuse(reading.result, reading.message, { problems: [reading.message] })
      : refuse(reading.result, reading.message, { problems, problemCount: reading.problemCount });
  }
  const data = [...reading.records];
  const notes = noteValues(reading.notes);
  if (reading.withheld !== null) {
    const { recordCount, problems } = reading.withheld;
    const first = problems[0];
    const values = { good: data.length, bad: recordCount, row: first?.row ?? 0, ...notes };
    return { ...ok(data), data, message: say("files.partial", values) };
  }
  if (data.length === 0) return { ...ok(data), data, message: say("files.no-records", notes) };
  if (Object.keys(notes).length > 0)
    return { ...ok(data), data, message: say("files.read", { good: data.length, ...notes }) };
  return { ...ok(data), data };
}

function withProblem(key: "files.bad-base64" | "files.empty"): Refusal<"InvalidInput"> {
  return refuse("InvalidInput", say(key), { problems: [say(key)] });
}
