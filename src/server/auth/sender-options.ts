import { type Static, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { AcceptedAuth } from "../../http-client/auth/auth-kinds.ts";

export const addressList = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    description: "Addresses or networks it must come from, such as `10.1.0.0/16` or `2001:db8::/32`; absent: any.",
    minItems: 1,
    maxItems: 1000,
  }),
);

/** The members of a sender beside `auth`, whose schema depends on the kind. */
export const senderMembers = Type.Object(
  {
    auth: Type.Unsafe<AcceptedAuth>({
      type: "object",
      description: "How it proves who it is: `kind` and the members of that kind.",
      required: ["kind"],
    }),
    addresses: addressList,
    topics: Type.Optional(
      Type.Array(Type.Unsafe<PushTopic>({ type: "string", enum: [...pushTopics], description: "A topic." }), {
        description: "What it may push; absent: everything.",
        minItems: 1,
      }),
    ),
    enabled: Type.Boolean({ description: "`false` turns it away, whatever it sends.", default: true }),
  },
  { additionalProperties: false, description: "Somebody who may push." },
);
export type SenderOptions = Static<typeof senderMembers>;
