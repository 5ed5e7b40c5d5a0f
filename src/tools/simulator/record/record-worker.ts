import { parentPort, workerData } from "node:worker_threads";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { FileType } from "../../../contract/enums.ts";
import { operationRow } from "../../../contract/operations.ts";
import type { CapturedBody, CapturedCall, RecordedBody, RecordedCall } from "./captured-call.ts";
import { openRecordingFile, type RecordingFileNeeds } from "./recording-file.ts";
import { type MemberKind, memberKind, type Pseudonyms, pseudonyms, readJson, valueScrubber } from "./scrub-value.ts";

const mostUnpackedBytes = 64 * 2 ** 20;
/** All other headers may contain secrets, or identify the sender. */
const keptHeaders = ["accept", "accept-language", "content-type", "content-encoding"];
const plainHeader = /^[\w\s.,;=*/+-]{1,200}$/;

/** Reduces a call to what may be written. */
function callScrubber(names: Pseudonyms): (call: CapturedCall) => RecordedCall {
  const scrub = valueScrubber(names);
  const scrubBody = (body: CapturedBody, encoding: string | undefined, kind?: MemberKind): RecordedBody => {
    if (body === null) return { lost: "too large to be kept" };
    if (body.length === 0) return { none: true };
    const json = readJson(unpacked(Buffer.from(body), encoding));
    return json === undefined ? { lost: "no JSON" } : { json: scrub(json, kind) };
  };

  return ({ sequence, atMs, tookMs, found, method, requestHeaders, request, answer }) => {
    const headers: Record<string, string> = {};
    for (const name of keptHeaders) {
      const value = String(requestHeaders[name] ?? "");
      if (plainHeader.test(value)) headers[name] = value;
    }
    const key = requestHeaders["idempotency-key"];
    if (typeof key === "string") headers["idempotency-key"] = names.identifier(key);
    const isImage = "operation" in found.row && found.row.operation === "getItemImage";
    const recorded: RecordedCall = {
      ...{ kind: "call", sequence, atMs, tookMs, row: found.row, method, path: pathOf(found, names), headers },
      request: scrubBody(request, requestHeaders["content-encoding"]),
      answer:
        answer === null
          ? null
          : { status: answer.status, body: scrubBody(answer.body, answer.headers["content-encoding"]) },
    };
    return isImage ? withoutImage(recorded, scrub) : isUpload(recorded) ? withReadableFile(recorded) : recorded;
  };
}

function pathOf({ row, path, rawValue, rawQuery }: CapturedCall["found"], names: Pseudonyms): string {
  const filled = path.replace(/\{\w+\}/, () => encodeURIComponent(names.identifier(decoded(rawValue ?? ""))));
  const documented = "operation" in row ? Object.keys(operationRow(row.operation).query?.properties ?? {}) : [];
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const right = documented.find((one) => one.toLowerCase() === name.toLowerCase());
    // An unknown parameter is left out, because it may be the key of a gateway.
    if (right !== undefined) kept.append(right, memberKind(right) === "identifier" ? names.identifier(value) : "");
  }
  return kept.size === 0 ? filled : `${filled}?${kept}`;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Replaces the picture. In this answer the data is a text with the picture instead of an object. */
function withoutImage(call: RecordedCall, scrub: ReturnType<typeof valueScrubber>): RecordedCall {
  const { answer } = call;
  if (answer === null || !("json" in answer.body)) return call;
  const { json } = answer.body;
  // The text was already replaced. It only matters whether there was one.
  const hasData = typeof json === "object" && json !== null && "data" in json && typeof json.data === "string";
  const body = hasData ? { json: { ...json, data: scrub("", "image") } } : answer.body;
  return { ...call, answer: { ...answer, body } };
}

const isUpload = ({ row }: RecordedCall) =>
  "operation" in row && (row.operation === "parseWorkOrderFile" || row.operation === "parseItemFile");

/** The columns of a CSV file cannot be scrubbed here; the records read from it are kept as JSON instead. */
function withReadableFile(call: RecordedCall): RecordedCall {
  const { request, answer } = call;
  if (!("json" in request) || answer === null || !("json" in answer.body)) return call;
  const sent = Object(request.json);
  const { data } = Object(answer.body.json);
  if (sent.fileType !== FileType.Csv || !Array.isArray(data)) return call;
  const fileContent = Buffer.from(JSON.stringify(data)).toString("base64");
  return { ...call, request: { json: { ...sent, fileContent, fileType: FileType.Json } } };
}

function unpacked(body: Buffer, encoding: string | undefined): string {
  const limits = { maxOutputLength: mostUnpackedBytes };
  try {
    if (encoding === "gzip") return gunzipSync(body, limits).toString();
    if (encoding === "deflate") return inflateSync(body, limits).toString();
    if (encoding === "br") return brotliDecompressSync(body, limits).toString();
  } catch {
    return "";
  }
  return body.toString();
}

export interface RecordJob extends RecordingFileNeeds {
  readonly key: Uint8Array;
}
export type ToRecorder = CapturedCall | "close";
export type FromRecorder =
  | "ready"
  /** Sent when a call that was handed over has been scrubbed or dropped. */
  | "taken"
  | { readonly written: number; readonly dropped: number };

/** Scrubs and writes in a separate thread, because a list of thousands of orders takes a second. */
const port = parentPort;
if (port === null) throw new Error("only as a worker");
const send = (message: FromRecorder) => port.postMessage(message);
// Passed by record.ts in exactly this form.
const { key, ...needs } = workerData as RecordJob;
const scrub = callScrubber(pseudonyms(key));
const file = await openRecordingFile(needs);
port.on("message", (message: ToRecorder) => {
  if (message === "close") {
    void file.close().then(() => {
      send({ written: file.written(), dropped: file.dropped() });
      port.close();
    });
    return;
  }
  file.write(() => scrub(message));
  send("taken");
});
send("ready");
