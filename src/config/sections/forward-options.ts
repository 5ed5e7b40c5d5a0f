import { type Static, Type } from "typebox";
import { eventOptions } from "../../connectors/http/options/operation-options.ts";
import { httpOptions } from "../../connectors/http/options/options.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { type ForwardMode, type ForwardModes, forwardModes } from "../../engine/forward/forwarded.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";

/** `platform.forward`: one member per topic, and the limits of all of them. */
export type ForwardSection = { readonly [Topic in PushTopic]?: ForwardTopic } & { readonly limits?: ForwardLimits };

/** The member that is not a topic. */
export const limitsName = "limits";

/** The mode of each configured topic. */
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

/** The request that sends one push to the platform; its members mean the same as in a connector of type http. */
const forwardRequest = Type.Object(
  {
    method: Type.Optional(
      Type.Unsafe<"POST" | "PUT" | "PATCH" | "DELETE">({
        type: "string",
        enum: ["POST", "PUT", "PATCH", "DELETE"],
        description: "Method; absent: POST.",
      }),
    ),
    url: Type.String({
      description:
        "Address, http or https. Values of placeholders in its path, such as `{input.number}`, are percent-encoded.",
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
        "`serve`: stored and returned when the platform queries it. `forward`: only sent to its interface. `both`: both.",
      default: "both",
    }),
    request: Type.Optional(forwardRequest),
  },
  { ...closed, description: "How the pushes of this topic are handled." },
);
export type ForwardTopic = Static<typeof forwardTopic>;

export const forwardLimits = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Integer({
        description: "Maximum number of deliveries at the same time; absent: as for events.",
        minimum: 1,
        maximum: 256,
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Number({ description: "Maximum number of deliveries per second; absent: no limit.", exclusiveMinimum: 0 }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        description: "Time limit of one delivery, in milliseconds; absent: as for events.",
        minimum: 100,
        maximum: 300_000,
      }),
    ),
  },
  { ...closed, description: "Limits of the platform's interface." },
);
export type ForwardLimits = Static<typeof forwardLimits>;
