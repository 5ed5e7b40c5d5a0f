import { type Static, Type } from "typebox";
import { eventOptions } from "../../connectors/http/options/operation-options.ts";
import { httpOptions } from "../../connectors/http/options/options.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { type ForwardMode, type ForwardModes, forwardModes } from "../../engine/forward/forwarded.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";

/** `platform.forward`: one member per topic, and the limits of all of them. */
export type ForwardSection = { readonly [Topic in PushTopic]?: ForwardTopic } & { readonly limits?: ForwardLimits };

/** The member beside the topics. */
export const limitsName = "limits";

/** What becomes of the pushes of each topic that is named. */
export const modesOf = (forward: ForwardSection): ForwardModes =>
  Object.fromEntries(
    pushTopics.flatMap((topic) => {
      const own = forward[topic];
      return own === undefined ? [] : [[topic, own.mode] as const];
    }),
  );

const closed = { additionalProperties: false };
const { auth, tls, timeouts, allowHosts, allowPrivate, proxy } = httpOptions.properties;
const { query, headers, success, errorText, alreadyProcessed, alreadyProcessedWhen, tryLaterWhen, idempotencyHeader } =
  eventOptions.properties;

/** The request that brings one push to the platform; everything in it means what it means in a connector of type http. */
const forwardRequest = Type.Object(
  {
    method: Type.Optional(
      Type.Unsafe<"POST" | "PUT" | "PATCH" | "DELETE">({
        type: "string",
        enum: ["POST", "PUT", "PATCH", "DELETE"],
        description: "Method; POST where absent.",
      }),
    ),
    url: Type.String({
      description:
        "Address, http or https. What fills a placeholder in its path, such as `{input.number}`, is percent-encoded.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#{}]+(/[^?#]*)?(\\?[^#{}]*)?$",
    }),
    query,
    headers,
    auth,
    tls,
    body: Type.Optional({
      ...mappingSchema,
      description:
        "Field rules: member of the body → path into the push, `= JSONata expression`, or an object. Absent: the push as it is.",
    }),
    success,
    errorText,
    alreadyProcessed,
    alreadyProcessedWhen,
    tryLaterWhen,
    idempotencyHeader,
    timeouts,
    allowHosts,
    allowPrivate,
    proxy,
  },
  { ...closed, description: "The request for one push." },
);
export type ForwardRequest = Static<typeof forwardRequest>;

export const forwardTopic = Type.Object(
  {
    mode: Type.Unsafe<ForwardMode>({
      type: "string",
      enum: [...forwardModes],
      description:
        "`serve`: kept, and answered to the platform's pulls. `forward`: sent to its interface only. `both`: both.",
      default: "both",
    }),
    request: Type.Optional(forwardRequest),
  },
  { ...closed, description: "What becomes of the pushes of this topic." },
);
export type ForwardTopic = Static<typeof forwardTopic>;

export const forwardLimits = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Integer({
        description: "Deliveries at the same time; as for events where absent.",
        minimum: 1,
        maximum: 256,
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Number({ description: "At most this many deliveries in a second; absent: no limit.", exclusiveMinimum: 0 }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        description: "How long one delivery may take, in milliseconds; as for events where absent.",
        minimum: 100,
        maximum: 300_000,
      }),
    ),
  },
  { ...closed, description: "Limits of the platform's interface." },
);
export type ForwardLimits = Static<typeof forwardLimits>;
