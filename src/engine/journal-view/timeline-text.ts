import type { Timeline } from "./timeline.ts";
import type { TimelineEvent } from "./timeline-event.ts";

const signs: Readonly<Record<TimelineEvent["kind"], string>> = {
  call: "platform →",
  push: "ERP →",
  message: "→ ERP",
  offer: "→ platform",
  amounts: "amounts",
  attempt: "delivery",
  action: "person",
  change: "change",
  held: "held",
};

/** The timeline as text: a line per event, and a heading for each day. */
export function timelineText({ order, events, isCut }: Timeline, timeZone: string): string {
  const date = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, timeStyle: "medium" });
  const lines = [`Order ${clean(order)}, times in ${timeZone}`];
  if (isCut) lines.push("Only the newest part of a very long history is shown.");
  const width = Math.max(...Object.values(signs).map((sign) => sign.length));
  let day = "";
  for (const event of events) {
    const at = new Date(event.at);
    if (date.format(at) !== day) {
      day = date.format(at);
      lines.push("", day);
    }
    const number = event.seq === null ? "" : `#${event.seq}`;
    lines.push(
      `  ${clock.format(at)}  ${number.padStart(7)}  ${signs[event.kind].padEnd(width)}  ${clean(describe(event))}`,
    );
  }
  return lines.join("\n");
}

function describe({ topic, text, state, operator, sender, answer, kind }: TimelineEvent): string {
  const by = kind === "call" ? operator : kind === "push" ? sender : null;
  const who = by === null ? "" : `, by ${by}`;
  const what = topic === null ? text : `${topic}: ${text}${who}`;
  const ended = state === null ? "" : ` [${state}]`;
  return `${what}${ended}${answer === null || kind !== "call" ? "" : ` ⇒ ${answered(answer)}`}`;
}

function answered({ isSuccess, result, message }: NonNullable<TimelineEvent["answer"]>): string {
  const words = message === null ? "" : ` "${message}"`;
  return isSuccess ? `success${words}` : `${result}${words}`;
}

/** Foreign text must not control the reader's terminal, nor look like lines of the adapter. */
const clean = (text: string) => text.replace(/[\s\p{Zl}\p{Zp}]+/gu, " ").replace(/\p{Cc}|\p{Bidi_Control}/gu, "�");
