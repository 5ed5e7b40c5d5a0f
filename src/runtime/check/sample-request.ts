import { httpOptionsOf } from "../../config/sections/forward-connectors.ts";
import type { ForwardRequest } from "../../config/sections/forward-options.ts";
import { requestPlan } from "../../connectors/http/request-plan.ts";
import { shapeOf } from "../../contract/derive/component-registry.ts";
import { sampleValue } from "../../contract/derive/sample-value.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import type { DateSettings } from "../../operation/dates.ts";

/** What would be sent to the platform's interface for one push. */
export interface SampleRequest {
  readonly topic: PushTopic;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Why this push cannot be sent; empty if it can. */
  readonly errors: readonly string[];
}

/** Builds the request for a push that has all its members, without sending it. */
export async function sampleRequest(
  topic: PushTopic,
  request: ForwardRequest,
  dates: DateSettings,
): Promise<SampleRequest> {
  const { url, method = "POST", query, body: map } = request;
  const input = sampleValue(shapeOf(pushRow(topic).element), "full");
  const mapped = map === undefined ? { value: input, problems: [] } : await compileMapping(map, { dates }).apply(input);
  const { baseUrl, notices } = httpOptionsOf(request);
  const errors = mapped.problems.map(({ field, text }) => `${field}: ${text}`);
  try {
    const isBodiless = method === "DELETE";
    const plan = requestPlan({
      request: {
        path: notices.path,
        ...(query === undefined ? {} : { query }),
        ...(isBodiless ? {} : { body: "{mapped}" }),
      },
      baseUrl: new URL(baseUrl),
      method,
      headers: {},
    });
    const scope = {
      ...Object(input),
      input,
      mapped: mapped.value,
      language: "en",
      entryId: "evt_…",
      topic,
      attempt: 1,
    };
    const filled = plan.fill(scope);
    const content = filled.body === undefined ? {} : { body: mapped.value };
    return { topic, method: filled.method, url: decodeURI(filled.url.href), ...content, errors };
  } catch (error) {
    return { topic, method, url, errors: [...errors, error instanceof Error ? error.message : String(error)] };
  }
}
