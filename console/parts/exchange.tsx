import type { ExchangeView } from "../../src/engine/journal-view/exchange-view.ts";
import { say, sayDuration } from "../say.ts";
import { Code, CopyButton, Moment } from "./small-parts.tsx";

/** The request that was really sent and its answer. Secrets were masked before it was stored. */
export function Exchange({ exchange }: { readonly exchange: ExchangeView }) {
  const { to, headers, body, answer, sentAt } = exchange;
  const isHttp = /^[A-Z]+ https?:\/\//.test(to);
  return (
    <div class="exchange">
      <div>
        <h4>
          {say("exchange.request")} <Moment at={sentAt} />
        </h4>
        <p class="mono break">{to}</p>
        <Headers of={headers} />
        {body === null ? null : <Code text={body.text} label={say("exchange.requestBody")} />}
        {isHttp ? <CopyButton text={curlOf(exchange)} label={say("exchange.curl")} /> : null}
      </div>
      <div>
        <h4>{say("exchange.answer")}</h4>
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

/** The same request for a terminal. Texts come from outside, so each is quoted for the shell. */
export function curlOf({ to, headers, body }: Pick<ExchangeView, "to" | "headers" | "body">): string {
  const [method = "GET", url = ""] = to.split(" ", 2);
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body.text)}`]),
  ];
  return parts.join(" \\\n  ");
}
