import type { ExchangeView } from "../../src/engine/journal-view/entries/entry-detail.ts";
import { say, sayDuration, sayNumber, sayText } from "../say.ts";
import { curlOf } from "./curl-of.ts";
import { Code, CopyButton, Moment } from "./small-parts.tsx";

interface ExchangeNeeds {
  readonly exchange: ExchangeView;
  /** Tells its parts from those of other exchanges of the entry, for screen readers. */
  readonly name: string;
  /** Set if the attempt sent nothing else. The name of the step then says nothing. */
  readonly isOnly: boolean;
}

/** The request that was really sent and its answer. Secrets were masked before it was stored. */
export function Exchange({ exchange, name, isOnly }: ExchangeNeeds) {
  const { to, headers, body, answer, sentAt, step, skipped } = exchange;
  const isHttp = /^[A-Z]+ https?:\/\//.test(to);
  const stepName = step === null || isOnly ? null : <code>{step}</code>;
  // A note of the adapter in place of requests, in brackets.
  if (to.startsWith("(")) return <p class="quiet">{sayText(to)}</p>;
  if (skipped !== null) {
    return (
      <p>
        {stepName} {say("exchange.skipped")} <span class="quiet">{sayText(skipped)}</span>
      </p>
    );
  }
  return (
    <div class="exchange">
      <div>
        <p class="head">
          {say("exchange.request")} {stepName} <Moment at={sentAt} />
        </p>
        <p class="mono break">{to}</p>
        <Headers of={headers} />
        <Body of={body} label={`${say("exchange.requestBody")} ${name}`} />
        {/* With a part of its content, the other system would get something else than was sent. */}
        {isHttp && !isCut(body) ? <CopyButton text={curlOf(exchange)} label={say("exchange.curl")} /> : null}
      </div>
      <div>
        <p class="head">{say("exchange.answer")}</p>
        {answer === null ? (
          <p class="quiet">{say("exchange.noAnswer")}</p>
        ) : (
          <>
            <p>
              {answer.status === null ? null : <strong>{answer.status}</strong>} {sayDuration(answer.ms)}
            </p>
            <Headers of={answer.headers} />
            <Body of={answer.body} label={`${say("exchange.answerBody")} ${name}`} />
          </>
        )}
      </div>
    </div>
  );
}

type Kept = ExchangeView["body"];

/** The adapter keeps this much of a text at most, and less of many. */
const mostKeptBytes = 16 * 1024;
/** A text is also shorter than it was where something in it is masked. */
const isCut = (kept: Kept): boolean =>
  kept !== null &&
  (kept.bytes > mostKeptBytes ||
    (kept.bytes > new TextEncoder().encode(kept.text).length && !kept.text.includes("***")));

function Body({ of: kept, label }: { readonly of: Kept; readonly label: string }) {
  if (kept === null) return null;
  return (
    <>
      <Code text={kept.text} label={label} />
      {isCut(kept) ? <p class="warn-text">{say("exchange.cut", { bytes: sayNumber(kept.bytes) })}</p> : null}
    </>
  );
}

function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  const pairs = Object.entries(of);
  if (pairs.length === 0) return null;
  return (
    <details>
      <summary>
        {say("exchange.headers")} ({pairs.length})
      </summary>
      <dl class="pairs mono">
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
