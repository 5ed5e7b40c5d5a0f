import { Type } from "typebox";
import { type AccessSettings, roles } from "../../server/auth/admin-access.ts";

const userSchema = Type.Object(
  {
    apiKey: Type.String({
      description: "This person's own key, for signing in and for the admin routes; at least 16 characters.",
      minLength: 16,
      pattern: "^[\\x21-\\x7e]+$",
    }),
    role: Type.Unsafe<(typeof roles)[number]>({
      type: "string",
      enum: [...roles],
      description: "What this person may do.",
    }),
  },
  { description: "One person.", additionalProperties: false },
);

/** Who may use the console and the admin routes. */
export const consoleOptions = Type.Object(
  {
    users: Type.Unsafe<AccessSettings["users"]>({
      type: "object",
      description:
        "People by the name that the audit log shows: `apiKey`, and `role`: `viewer` (reads; personal data is masked), " +
        "`operator` (also repairs deliveries) or `admin`. Holders of the adapter's own API key are admins, and give their " +
        "name when they sign in.",
      additionalProperties: userSchema,
      propertyNames: { minLength: 1, maxLength: 100 },
      default: {},
    }),
    production: Type.Boolean({
      description:
        "Whether a real floor works with this adapter. Then the console starts no simulation and no full conformance run.",
      default: false,
    }),
    idleMinutes: Type.Number({
      description: "A session that nobody uses ends after this many minutes.",
      default: 60,
      minimum: 1,
      maximum: 1440,
    }),
    sessionHours: Type.Number({
      description: "Every session ends after this many hours.",
      default: 12,
      minimum: 0.1,
      maximum: 168,
    }),
  },
  { description: "The web console and the admin routes.", additionalProperties: false, default: {} },
);
