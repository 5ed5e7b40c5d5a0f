import { faultOfError } from "../../http-client/answers/judge-answer.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import { type Scope, scopeAt, template, valueTemplate } from "../../http-client/answers/template.ts";
import { type HttpClient, type HttpRequest, headerText, staticHeaders } from "../../http-client/http-client.ts";
import type { Redact } from "../../http-client/redact.ts";
import type { CircuitBreaker } from "../../kit/circuit-breaker.ts";
import { jsonInTurns } from "../../kit/json/bytes-in-turns.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import type { RequestOptions } from "./options/operation-options.ts";

/** A configured request, compiled once and filled in for every call. */
export interface RequestPlan {
  readonly names: readonly string[];
  /** Extra query parameters are appended to the configured ones. */
  readonly fill: (scope: Scope, extra?: Readonly<Record<string, string>>) => Omit<HttpRequest, "signal">;
  /** Like fill, for an event, whose body may be megabytes long: other requests run while it is written. */
  readonly fillInTurns: (scope: Scope) => Promise<Omit<HttpRequest, "signal">>;
}

export interface PlanNeeds {
  readonly request: RequestOptions;
  readonly baseUrl: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function requestPlan({ request, baseUrl, method, headers: common }: PlanNeeds): RequestPlan {
  const path = template(request.path);
  const query = Object.entries(request.query ?? {}).map(([name, value]) => [name, queryTemplate(value)] as const);
  const headers = Object.entries(staticHeaders(request.headers ?? {})).map(
    ([name, text]) => [name, template(text)] as const,
  );
  const body = request.body === undefined ? undefined : valueTemplate(request.body);
  const base = baseUrl.href.replace(/[?#].*$/s, "").replace(/\/+$/, "");
  const kept = baseUrl.search.slice(1);

  return {
    names: [
      path,
      ...query.map(([, one]) => one),
      ...headers.map(([, one]) => one),
      ...(body === undefined ? [] : [body]),
    ].flatMap(({ names }) => names),
    fill: (scope, extra = {}) =>
      filled(scope, extra, body === undefined ? undefined : Buffer.from(JSON.stringify(body.fill(scope)) ?? "")),
    fillInTurns: async (scope) =>
      filled(scope, {}, body === undefined ? undefined : await jsonInTurns(body.fill(scope))),
  };

  function filled(
    scope: Scope,
    extra: Readonly<Record<string, string>>,
    content: Buffer | undefined,
  ): Omit<HttpRequest, "signal"> {
    for (const name of path.names) {
      const value = scopeAt(scope, name);
      if (value === undefined || value === null || value === "")
        throw new Fault("invalid", `{${name}} in ${request.path} is empty`);
    }
    const parameters = [
      ...query.map(([name, { fill }]) => [name, fill(scope)] as const),
      ...Object.entries(extra),
    ].flatMap(([name, value]) => (value === undefined ? [] : `${encodeQuery(name)}=${encodeQuery(value)}`));
    const search = [...(kept === "" ? [] : [kept]), ...parameters].join("&");
    return {
      method: request.method ?? method,
      url: new URL(`${base}${path.fill(scope, encodeSegment) ?? ""}${search === "" ? "" : `?${search}`}`),
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip, deflate, br",
        ...common,
        ...Object.fromEntries(headers.map(([name, one]) => [name, headerText(one.fill(scope) ?? "")])),
        ...(content === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(content.length) }),
      },
      body: content,
    };
  }
}

/** Encodes a path segment. `..` as a whole segment would lead out of the configured path, percent-encoded or not. */
function encodeSegment(text: string): string {
  if (/^\.{1,2}$/.test(text)) throw new Fault("invalid", `${JSON.stringify(text)} cannot be part of an address`);
  return encodeURIComponent(text);
}

/** Readable encoding: `$filter` and commas stay as they are; every character that could end a value is encoded. */
const encodeQuery = (text: string): string => encodeURIComponent(text).replace(/%24/g, "$").replace(/%2C/gi, ",");

/** A text is a template. A list or an object is a template that is sent as JSON, so no value can break out of it. */
function queryTemplate(value: unknown) {
  if (typeof value === "string") return template(value);
  const { names, fill } = valueTemplate(value);
  return { names, fill: (scope: Scope) => JSON.stringify(fill(scope)) };
}

/** Sends a request. Every failure without an answer is a Fault, with all secrets removed. */
export type Caller = (request: HttpRequest) => Promise<Answer>;

export const plainCaller =
  (client: HttpClient, redact: Redact): Caller =>
  async (request) => {
    try {
      return await client.send(request);
    } catch (error) {
      const fault = faultOfError(error, redact);
      if (fault.kind !== "rejected" || fault.operatorText !== undefined) throw fault;
      throw new Fault("rejected", fault.message, { operatorText: say("http.unreadable"), cause: error });
    }
  };

/**
 * For queries, where an operator waits: a system that is down is not called again by every query, so that fallback data
 * can be used at once. Events have their own breaker in the delivery queue.
 */
export const guardedCaller =
  (call: Caller, breaker: CircuitBreaker): Caller =>
  async (request) => {
    if (breaker.state() !== "closed" && !breaker.mayStart(0)) {
      throw new Fault(
        "unreachable",
        "the external system has failed repeatedly; no requests are sent for a few seconds",
      );
    }
    breaker.started();
    try {
      const answer = await call(request);
      breaker.record(answer.status >= 500 ? "trouble" : "answer");
      return answer;
    } catch (error) {
      breaker.record(error instanceof Fault && error.kind === "rejected" ? "answer" : "trouble");
      throw error;
    }
  };
