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
    prefix: maybe("The word before it, `Bearer` where absent; some systems want `token`."),
  },
  { additionalProperties: false, description: "A token that does not change, in the header Authorization." },
);

const apiKey = Type.Object(
  {
    value: secret("The key."),
    header: maybe("Header that carries it; `X-Api-Key` where absent."),
    query: maybe("Query parameter that carries it instead of a header."),
  },
  { additionalProperties: false, description: "A key in a header or in the query." },
);

const oauth2 = Type.Object(
  {
    tokenUrl: Type.String({
      description: "Where tokens are handed out.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    clientId: name("Name of this client."),
    clientSecret: secret("Its secret."),
    scope: maybe("Scopes, separated by blanks."),
    audience: maybe("Audience, where the server asks for one."),
    clientAuth: Type.Optional(
      Type.Unsafe<"basic" | "body">({
        type: "string",
        enum: ["basic", "body"],
        description: "Whether name and secret go in the header Authorization (`basic`, where absent) or in the body.",
      }),
    ),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Further parameters of the token request." }),
    ),
  },
  { additionalProperties: false, description: "OAuth 2 client credentials; the token is renewed before it ends." },
);

const session = Type.Object(
  {
    path: name("Path of the login, below `baseUrl`."),
    body: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: "object",
        description: "What the login is sent as JSON, name and password in it.",
      }),
    ),
    token: Type.Optional(
      Type.Object(
        {
          at: name("Where the token stands in the answer, such as `data.token`."),
          header: maybe("Header that carries it afterwards; `Authorization` where absent."),
          prefix: maybe("The word before it, such as `Bearer`."),
        },
        { additionalProperties: false, description: "Where the login answers with a token; absent: with cookies." },
      ),
    ),
    renewOn: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        description: "Statuses that say the session has ended; 401 where absent.",
      }),
    ),
  },
  { additionalProperties: false, description: "A login that opens a session, opened again when it has ended." },
);

/** How the external system is shown who asks: one kind, or none. */
export const authOptions = Type.Object(
  {
    basic: Type.Optional(basic),
    bearer: Type.Optional(bearer),
    apiKey: Type.Optional(apiKey),
    oauth2: Type.Optional(oauth2),
    session: Type.Optional(session),
  },
  { additionalProperties: false, description: "How the external system is shown who asks: one of these, or none." },
);
export type AuthOptions = Static<typeof authOptions>;
export type OAuth2Options = NonNullable<AuthOptions["oauth2"]>;
export type SessionOptions = NonNullable<AuthOptions["session"]>;
