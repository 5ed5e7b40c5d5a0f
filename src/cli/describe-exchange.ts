import type { ExchangeView } from "../app/stored-journal.ts";
import { indentJson } from "./indent-json.ts";

/** What an attempt really sent and got, line by line. */
export function describeExchange(attempt: number, { sentAt, to, headers, body, answer }: ExchangeView): string[] {
  return [
    `Sent by attempt ${attempt} at ${sentAt}`,
    ...indented([...to.split("\n"), ...headerLines(headers), ...textLines(body)]),
    answer === null ? "No answer" : `Answer after ${answer.ms} ms${answer.status === null ? "" : `: ${answer.status}`}`,
    ...(answer === null ? [] : indented([...headerLines(answer.headers), ...textLines(answer.body)])),
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function textLines(kept: ExchangeView["body"]): string[] {
  if (kept === null || kept.bytes === 0) return [];
  const isWhole = Buffer.byteLength(kept.text) >= kept.bytes;
  const lines = (isWhole ? indentedJson(kept.text) : kept.text).split("\n");
  return isWhole ? lines : [...lines, `… the beginning of ${kept.bytes} bytes`];
}

/** As it was sent where it is no JSON. */
function indentedJson(text: string): string {
  try {
    JSON.parse(text);
    return indentJson(text, "  ");
  } catch {
    return text;
  }
}
