import type { Scope } from "../../http-client/answers/template.ts";
import type { Redact } from "../../http-client/redact.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { DateSettings } from "../../operation/dates.ts";
import type { CallContext } from "../../sdk/connector.ts";
import type { DetailOptions, QueryOptions } from "./options/operation-options.ts";
import { type HttpSettings, rulesOf } from "./options/request-settings.ts";
import type { PageFetch } from "./queries/fetch-pages.ts";
import { type Caller, requestPlan } from "./request-plan.ts";

/** What every operation of one opened connector needs. */
export interface Workbench {
  readonly settings: HttpSettings;
  readonly baseUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly dates: DateSettings;
  readonly redact: Redact;
  /** For events. */
  readonly call: Caller;
  readonly fetch: (options: FetchOptions, isNone?: PageFetch["isNone"]) => PageFetch;
  readonly scope: (input: unknown, context?: CallContext) => Scope;
}

type FetchOptions = Pick<
  QueryOptions,
  "method" | "path" | "query" | "headers" | "body" | "success" | "errorText" | "records" | "page" | "detail"
>;

export interface WorkbenchNeeds extends Omit<Workbench, "fetch" | "scope"> {
  /** For queries: fails at once while the breaker is open. */
  readonly query: Caller;
}

export function workbench({ query, ...needs }: WorkbenchNeeds): Workbench {
  const { settings, baseUrl, headers, redact, clock } = needs;
  const detailOf = (detail: DetailOptions | undefined): PageFetch["detail"] => {
    if (detail === undefined) return undefined;
    const { records, ...request } = detail;
    return { plan: requestPlan({ request, baseUrl, method: "GET", headers }), records };
  };
  return {
    ...needs,
    fetch: (options, isNone) => ({
      plan: requestPlan({ request: options, baseUrl, method: "GET", headers }),
      page: options.page,
      records: options.records,
      detail: detailOf(options.detail),
      rules: rulesOf({ settings, request: options }),
      limits: settings.limits,
      call: query,
      redact,
      now: clock.now,
      isNone,
    }),
    scope: (input, context) => scopeOf(input, settings.variables ?? {}, context),
  };
}

/** Members of the input override variables of the same name: a variable must not replace a scanned code. */
function scopeOf(
  input: unknown,
  variables: Readonly<Record<string, unknown>>,
  context: CallContext | undefined,
): Scope {
  const members = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const delivery = context?.delivery;
  return {
    ...variables,
    ...members,
    input,
    language: context?.language ?? "en",
    ...(delivery === undefined ? {} : { entryId: delivery.entryId, topic: delivery.topic, attempt: delivery.attempt }),
  };
}
