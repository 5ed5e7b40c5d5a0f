import type { ExchangeView } from "../../src/engine/journal-view/entries/entry-detail.ts";
import { say, sayDuration } from "../say.ts";
import { curlOf } from "./curl-of.ts";
import { Code, CopyButton, Moment } from "./small-parts.tsx";

/** The request that was really sent and its answer. Secrets were masked before it was stored. */
export function Exchange({ exchange }: { readonly exchange: ExchangeView }) {
  const { to, headers, body, answer, sentAt } = exchange;
  const isHttp = /^[A-Z]+ https?:\/\//.test(to);
  return (
    <div class="exchange">
      <div>
        <p class="head">
          {say("exchange.request")} <Moment at={sentAt} />
        </p>
        <p class="mono break">{to}</p>
        <Headers of={headers} />
        {body === null ? null : <Code text={body.text} label={say("exchange.requestBody")} />}
        {isHttp ? <CopyButton text={curlOf(exchange)} label={say("exchange.curl")} /> : null}
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
            {answer.body === null ? null : <Code text={answer.body.text} label={say("exchange.answerBody")} />}
          </>
        )}
      </div>
    </div>
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
