import type { Exchange, KeptText } from "../../journal/entry.ts";
import { isoTime } from "./entries/entry-view.ts";

interface TextView {
  readonly text: string;
  /** Length of the whole text, which may be cut here. */
  readonly bytes: number;
}

/** One request of an attempt and its answer; secrets are masked, and long texts are cut. */
export interface ExchangeView {
  readonly sentAt: string;
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: TextView | null;
  /** Null if no answer came. */
  readonly answer: {
    readonly ms: number;
    readonly status: number | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: TextView | null;
  } | null;
}

export function exchangeView(
  { sentAt, to, headers, body, answer }: Exchange,
  shown: (text: string) => string,
): ExchangeView {
  const textView = (kept: KeptText | undefined): TextView | null =>
    kept === undefined ? null : { text: shown(kept.text), bytes: kept.bytes };
  return {
    sentAt: isoTime(sentAt),
    to: shown(to),
    headers: headers ?? {},
    body: textView(body),
    answer:
      answer === undefined
        ? null
        : {
            ms: answer.ms,
            status: answer.status ?? null,
            headers: answer.headers ?? {},
            body: textView(answer.body),
          },
  };
}
