import { type Static, Type } from "typebox";

const secret = (description: string) => Type.String({ description, minLength: 1, "x-secret": true });
const name = (description: string) => Type.String({ description, minLength: 1 });
const maybe = (description: string) => Type.Optional(name(description));

const basic = Type.Object(
  { username: name("User name."), password: secret("Password.") },
  { additionalProperties: false, description: "User name and password with every request." },
);

const bearer = Type.Object(
  {
    token: secret("The token."),
    prefix: maybe("Prefix of the token; default: `Bearer`; some systems need `token`."),
  },
  { additionalProperties: false, description: "A fixed token in the header Authorization." },
);

const apiKey = Type.Object(
  {
    value: secret("The key."),
    header: maybe("Header that carries it; default: `X-Api-Key`."),
    query: maybe("Query parameter that carries it instead of a header."),
  },
  { additionalProperties: false, description: "A fixed key in a header or in the query." },
);

const oauth2 = Type.Object(
  {
    tokenUrl: Type.String({
      description: "URL of the token endpoint.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    clientId: name("Id of this client."),
    clientSecret: secret("Its secret."),
    scope: maybe("Scopes, separated by spaces."),
    audience: maybe("Audience, if the server requires one."),
    clientAuth: Type.Optional(
      Type.Unsafe<"basic" | "body">({
        type: "string",
        enum: ["basic", "body"],
        description:
          "Whether id and secret are sent in the header Authorization (`basic`, the default) or in the body.",
      }),
    ),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Additional parameters of the token request." }),
    ),
  },
  { additionalProperties: false, description: "OAuth 2 client credentials; the token is renewed before it expires." },
);

const session = Type.Object(
  {
    path: name("Path of the login, below `baseUrl`."),
    body: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: "object",
        description: "JSON body of the login, with user name and password.",
      }),
    ),
    token: Type.Optional(
      Type.Object(
        {
          at: name("Path of the token in the answer, such as `data.token`."),
          header: maybe("Header that carries the token afterwards; default: `Authorization`."),
          prefix: maybe("Prefix of the token, such as `Bearer`."),
        },
        { additionalProperties: false, description: "For logins that answer with a token; default: cookies." },
      ),
    ),
    renewOn: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        description: "Statuses that mean the session has expired; default: 401.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "A login that opens a session; a new session is opened when it expires.",
  },
);

/** The authentication at the external system: one kind, or none. */
export const authOptions = Type.Object(
  {
    basic: Type.Optional(basic),
    bearer: Type.Optional(bearer),
    apiKey: Type.Optional(apiKey),
    oauth2: Type.Optional(oauth2),
    session: Type.Optional(session),
  },
  { additionalProperties: false, description: "Authentication at the external system: one of these, or none." },
);
export type AuthOptions = Static<typeof authOptions>;
export type OAuth2Options = NonNullable<AuthOptions["oauth2"]>;
export type SessionOptions = NonNullable<AuthOptions["session"]>;
