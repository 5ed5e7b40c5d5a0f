import { Type } from "typebox";
import { type AccessSettings, roles } from "../../server/auth/admin-access.ts";

const userSchema = Type.Object(
  {
    apiKey: Type.String({
      description: "This person's own key, for signing in and for the admin routes; at least 16 characters.",
      // A reference to the environment or a file may be shorter than the key behind it.
      minLength: 1,
    }),
    role: Type.Unsafe<(typeof roles)[number]>({
      type: "string",
      enum: [...roles],
      description: "What this person may do.",
    }),
  },
  { description: "One person.", additionalProperties: false },
);

const groups = (role: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: `Values that make somebody ${role}.` }));
const oidcSchema = Type.Object(
  {
    issuer: Type.String({
      description: "Address of the provider, as its discovery document names it; https, except on this machine.",
      pattern: "^(https://|http://(localhost|127\\.|\\[::1\\]))",
    }),
    clientId: Type.String({ description: "Id of the adapter at the provider.", minLength: 1 }),
    clientSecret: Type.Optional(Type.String({ description: "Its secret; absent for a public client.", minLength: 1 })),
    publicUrl: Type.Optional(
      Type.String({
        description:
          "Address of the adapter as browsers see it, with its base path; needed behind a proxy that ends TLS. " +
          "`/admin/oidc/callback` below it is registered at the provider.",
        pattern: "^https?://",
      }),
    ),
    scope: Type.String({
      description: "What is asked for.",
      default: "openid profile email",
      pattern: "(^| )openid( |$)",
    }),
    nameClaim: Type.Optional(
      Type.String({
        description: "Claim with the name for the audit; absent: `preferred_username`, `email` or `sub`.",
        minLength: 1,
      }),
    ),
    roles: Type.Object(
      {
        claim: Type.String({
          description: "Claim that decides, such as `groups` or `realm_access.roles`.",
          minLength: 1,
        }),
        viewer: groups("a viewer"),
        operator: groups("an operator"),
        admin: groups("an admin"),
      },
      { description: "Who may do what; nobody without one of these values gets in.", additionalProperties: false },
    ),
  },
  {
    description: "Sign-in by an OpenID Connect provider, beside the keys; needs the library openid-client.",
    additionalProperties: false,
  },
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
    oidc: Type.Optional(oidcSchema),
    production: Type.Boolean({
      description:
        "Whether a real floor works with this adapter. Then the console starts no simulation and no full conformance run.",
      default: false,
    }),
    traceUrl: Type.Optional(
      Type.String({
        description:
          "Address of a trace in your tracing UI, with `{traceId}` in place of its id, such as " +
          "`https://jaeger.example.com/trace/{traceId}`. Entries that belong to a trace then have a link to it.",
        pattern: "^https?://\\S*\\{traceId\\}\\S*$",
      }),
    ),
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
