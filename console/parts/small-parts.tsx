import { useMemo, useState } from "preact/hooks";
import type { ShownState } from "../../src/engine/journal-view/entries/entry-view.ts";
import type { FailureKind } from "../../src/engine/journal-view/entries/failure-kind.ts";
import type { OrderView } from "../../src/engine/journal-view/orders/order-view.ts";
import { recognise } from "../../src/messages/phrases/recognise.ts";
import { now } from "../attention.ts";
import { say, sayAgo, sayDue, sayDuration, sayKnown, sayMoment, sayNumber, sayText } from "../say.ts";
import { pretty } from "./quarantine/record-lines.ts";

const tones: Readonly<Record<ShownState, string>> = {
  ...{ accepted: "busy", inflight: "busy", retry: "warn", delivered: "good", rejected: "bad", dead: "bad" },
  ...{ discarded: "none", "not-sent": "none" },
};

export const StateBadge = ({ state }: { readonly state: ShownState }) => (
  <span class={`badge ${tones[state]}`}>{say(`entry.${state}`)}</span>
);

const failureTones: Readonly<Record<FailureKind, string>> = {
  ...{ refused: "bad", unreachable: "warn", behind: "none", waiting: "busy" },
};

export const FailureBadge = ({ kind }: { readonly kind: FailureKind }) => (
  <span class={`badge ${failureTones[kind]}`}>{say(`failure.${kind}`)}</span>
);

export function OrderBadge({ state }: Pick<OrderView, "state">) {
  const tone = state === "started" ? "busy" : state === "finished" ? "good" : "none";
  return <span class={`badge ${tone}`}>{say(`order.${state ?? "unknown"}`)}</span>;
}

/** A time in the time zone of the site, with UTC on hover. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {sayMoment(at)}
  </time>
);

/** A time that somebody has set, without seconds. */
export const Due = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {sayDue(at)}
  </time>
);

/** For how long, with the time on hover. */
export const Age = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${sayMoment(at)} (${at})`}>
    {sayDuration(Math.max(0, now.value - Date.parse(at)))}
  </time>
);

/** The same as a point in time: 3 min ago. */
export const Ago = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${sayMoment(at)} (${at})`}>
    {sayAgo(Math.max(0, now.value - Date.parse(at)))}
  </time>
);

/** Explains the star beside an amount: which system named the amount, and when. */
export function LastKnown({ of: { lastKnown } }: { readonly of: Pick<OrderView, "lastKnown"> }) {
  if (lastKnown === null) return null;
  return (
    <p class="quiet">
      {say("order.lastKnown", { system: lastKnown.system })} <Moment at={lastKnown.at} />
    </p>
  );
}

type Amounts = Pick<OrderView, "requested" | "picked" | "cancelled" | "lastKnown">;

export function Progress({ order }: { readonly order: Amounts }) {
  const { requested, picked, cancelled, lastKnown } = order;
  // Nothing was picked yet of an order that another system holds, so its amounts are not known here.
  if (requested === 0 && picked === 0) return <>–</>;
  // Only the system that holds the order knows how much is wanted.
  if (requested === null) return <>{sayNumber(picked)} / ?</>;
  const total = Math.max(requested, picked + cancelled);
  return (
    <span class="progress">
      <progress
        max={total === 0 ? 1 : total}
        value={picked}
        aria-label={say("order.progress", { picked: sayNumber(picked), requested: sayNumber(requested) })}
      />
      <span>
        {sayNumber(picked)} / {sayNumber(requested)}
        {lastKnown === null ? "" : "*"}
      </span>
    </span>
  );
}

/** An error. The other system's own text comes first, because people look for that; then the whole error. */
export function ErrorText({ text }: { readonly text: string }) {
  const words = spokenIn(text);
  const whole = sayText(text);
  if (words === null || words === whole) return <span class="text break">{whole}</span>;
  return (
    <>
      <strong class="text break">{words}</strong>
      <span class="text break quiet">{whole}</span>
    </>
  );
}

/** An error in short: the other system's own sentence or, without one, why it is an error. The rest on opening. */
export function ShortError({ text, status }: { readonly text: string; readonly status: number | null }) {
  const words = spokenIn(text);
  const short = words === null ? reasonIn(text) : [status ?? "", words].join(" ").trim();
  const whole = sayText(text);
  if (short === null || short === whole) return <span class="text break">{whole}</span>;
  return (
    <>
      <span class="text break">{short}</span>
      <details>
        <summary>{say("error.whole")}</summary>
        <span class="text break quiet">{whole}</span>
      </details>
    </>
  );
}

const spokenMembers = ["message", "error", "detail", "title", "reason", "description", "value"];
/** Members that ERPs put the error into; as deep as any of them does. */
const outerMembers = ["error", "errors", "data", "message", "fault"];
const deepest = 4;

/** Returns the sentence for people in an unsuccessful answer; null if there is none. */
function spokenIn(text: string): string | null {
  const known = recognise(text);
  const answer = known?.key === "fault.notSuccess" ? known.values["text"] : undefined;
  if (typeof answer !== "string") return null;
  try {
    return sentenceIn(JSON.parse(answer), deepest);
  } catch {
    return sentenceInPart(answer);
  }
}

/** The sentence in JSON that is cut, or without numbers because they differ between the entries of a group. */
function sentenceInPart(json: string): string | null {
  for (const names of ["message|detail|reason", "value|error|title|description"]) {
    const [, text] = new RegExp(`"(?:${names})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)+")`).exec(json) ?? [];
    if (text !== undefined) return parsedText(text);
  }
  return null;
}

function parsedText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Returns why an answer counts as an error; null if the text is not about an answer. */
function reasonIn(text: string): string | null {
  const known = recognise(text);
  const reason = known?.key === "fault.notSuccess" ? known.values["reason"] : undefined;
  if (reason === undefined) return null;
  return typeof reason === "object" && "key" in reason ? sayKnown(reason) : String(reason);
}

function sentenceIn(value: unknown, levels: number): string | null {
  if (typeof value !== "object" || value === null || levels === 0) return null;
  if (Array.isArray(value)) return sentenceIn(value[0], levels - 1);
  const member = (name: string): unknown => Reflect.get(value, name);
  const own = spokenMembers.map(member).find((one) => typeof one === "string" && one.trim() !== "");
  if (typeof own === "string") return own;
  for (const name of outerMembers) {
    const inner = sentenceIn(member(name), levels - 1);
    if (inner !== null) return inner;
  }
  return null;
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="small"
      onClick={() => {
        const done = () => {
          setCopied(true);
          setTimeout(() => setCopied(false), 2_000);
        };
        copy(text).then(done, () => setCopied(false));
      }}
    >
      {isCopied ? say("action.copied") : label}
    </button>
  );
}

/** Browsers have no clipboard for pages without TLS, except on the same machine. */
async function copy(text: string): Promise<void> {
  // The declared type does not know that it may be missing.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) return await clipboard.writeText(text);
  const field = document.createElement("textarea");
  const before = document.activeElement;
  field.value = text;
  // In the dialog, if one is open: what is outside of it cannot be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isDone) throw new Error("the browser does not copy");
}

/** A sentence with names between backticks, as the reference has them. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  // Once for each text: it may have megabytes, and a live page is drawn every few seconds.
  const shown = useMemo(() => pretty(text), [text]);
  return (
    // A part that scrolls must be reachable with the keyboard.
    <section class="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>{shown}</pre>
    </section>
  );
}
