import { type Static, type TObject, type TProperties, Type } from "typebox";
import { conditionMembers } from "../answers/answer-condition.ts";

/**
 * Every form of `auth` in both directions: what the adapter sends to an external system (connectors, forwarding), and
 * what it accepts from callers (senders, the platform). A member of which several values are accepted is a list.
 */

/** Long enough that it cannot be guessed, even from many addresses. */
const minSecretLength = 16;

const name = (description: string) => Type.String({ description, minLength: 1 });
const maybe = (description: string) => Type.Optional(name(description));
const secret = (description: string, minLength = 1) => Type.String({ description, minLength, "x-secret": true });
const several = <S extends Parameters<typeof Type.Array>[0]>(element: S, description: string) =>
  Type.Array(element, { description, minItems: 1, maxItems: 100 });
const choice = <const Names extends readonly string[]>(names: Names, description: string) =>
  Type.Optional(Type.Unsafe<Names[number]>({ type: "string", enum: [...names], description }));
const closed = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false });
const webAddress = "^[Hh][Tt][Tt][Pp][Ss]?://";

const sentHeader = maybe(
  "Header that carries it; where absent, for a key `X-Api-Key`, for a session's token `Authorization`, for `csrf` `X-CSRF-Token`.",
);
const sentPrefix = Type.Optional(
  Type.String({
    description:
      'The word before the token: `Bearer` where absent, except in a session\'s own `header`; some systems want `token`, and `""` means none.',
  }),
);

const userName = name("User name, sent with every request (HTTP Basic).");
const password = secret("Its password; it may be empty.", 0);
const loginPath = name("Path of the login, or of what hands out the token against forged requests, below `baseUrl`.");

/** The forms that are sent. Each member has one value. */
export const sentKinds = {
  none: closed("Nothing is sent.", {}),
  apiKey: closed("A key in a header or in the query.", {
    key: secret("The key."),
    header: sentHeader,
    query: maybe("Query parameter that carries it instead of a header."),
  }),
  bearer: closed("A token that does not change, in the header Authorization.", {
    token: secret("The token."),
    prefix: sentPrefix,
  }),
  basic: closed("User name and password with every request.", {
    username: userName,
    password,
  }),
  oauth2: closed("OAuth 2 client credentials; the token is renewed before it ends.", {
    tokenUrl: Type.String({ description: "Where tokens are handed out.", pattern: webAddress }),
    clientId: name("Name of this client."),
    clientSecret: secret("Its secret."),
    scope: maybe("Scopes, separated by blanks."),
    audience: maybe("Audience, where the server asks for one."),
    clientAuth: choice(
      ["basic", "body"],
      "Whether name and secret go in the header Authorization (`basic`, where absent) or in the body.",
    ),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Further parameters of the token request." }),
    ),
  }),
  session: closed("A login that opens a session, opened again before it ends and when it has ended.", {
    loginPath,
    loginMethod: choice(["POST", "GET"], "Method of the login; `POST` where absent."),
    loginHeaders: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Headers of the login, such as `X-CSRF-Token: Fetch`. `{name}` is one of `variables`.",
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: "object",
        description: "What the login is sent as JSON, name and password in it. `{name}` is one of `variables`.",
      }),
    ),
    username: Type.Optional(userName),
    password: Type.Optional(password),
    loginFailedWhen: Type.Optional(
      Type.Array(Type.Object(conditionMembers, { additionalProperties: false, minProperties: 1 }), {
        description: "Answers that refuse the login, besides every status but 2xx.",
      }),
    ),
    tokenPath: maybe(
      "Where the token is in the login's answer, such as `data.token`; absent, and without `headers`: it answers with cookies.",
    ),
    header: sentHeader,
    prefix: sentPrefix,
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description:
          "Headers of every request: a text, or `= JSONata expression` over the login's answer, with `$headers` (names in small letters), `$cookies`, `$login` (the body of the login) and `$variables`.",
      }),
    ),
    lifetimeSeconds: Type.Optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: "number", exclusiveMinimum: 0 },
          { type: "string", pattern: "^\\s*=" },
        ],
        description:
          "How long the session lasts, or `= JSONata expression` over the login's answer, such as `= SessionTimeout * 60`: a new one is opened before it ends; absent: it lasts until the system refuses it.",
      }),
    ),
    renewOn: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        description: "Statuses that say the session has ended; 401 where absent. By content: `loginExpiredWhen`.",
      }),
    ),
  }),
  csrf: closed("A token against forged requests, fetched with its cookies before the first request (SAP, OData).", {
    loginPath,
    username: Type.Optional(userName),
    password: Type.Optional(password),
    header: sentHeader,
  }),
} as const;

/** The forms that are accepted. Members are lists, so that a new value can replace an old one. */
export const acceptedKinds = {
  apiKey: closed("A key, sent as `Authorization: Bearer KEY` or `X-Api-Key: KEY`.", {
    keys: several(
      secret("A key of at least 16 characters.", minSecretLength),
      "Keys that are accepted; two while one takes over.",
    ),
  }),
  basic: closed("User name and password with every request (HTTP Basic).", {
    users: several(
      closed("One user.", {
        username: name("User name, without a colon."),
        password: secret("Password, at least 12 characters.", 12),
      }),
      "Users that are accepted; one may be there twice, with its old and its new password.",
    ),
  }),
  jwt: closed("A signed token of an issuer, sent as `Authorization: Bearer TOKEN`.", {
    jwksUrl: Type.Optional(
      Type.String({
        description: "Where the issuer publishes its keys; https, or http on this machine.",
        pattern: webAddress,
      }),
    ),
    publicKey: maybe("Instead of it: the issuer's public key (PEM), such as `file:issuer.pem`."),
    issuer: name("What `iss` has to be."),
    audience: name("What `aud` has to be, or to contain."),
    claims: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Further members the token must have, with these values, such as `azp: shop`.",
      }),
    ),
    clockSkewSeconds: Type.Integer({
      description: "How far the issuer's clock may be off.",
      default: 30,
      minimum: 0,
      maximum: 300,
    }),
  }),
  hmac: closed("A signature over the bytes of the body, by a shared secret.", {
    preset: choice(
      ["standard-webhooks", "github", "shopify"],
      "How it is signed, by name; absent: as the members below say.",
    ),
    secrets: several(secret("A secret.", minSecretLength), "Secrets that are accepted; two while one takes over."),
    secretEncoding: choice(["text", "base64", "hex"], "How the secrets are written; `text` where absent."),
    header: maybe("Header with the signature, or with several, separated by blanks."),
    algorithm: choice(["sha256", "sha384", "sha512"], "Hash of the HMAC; `sha256` where absent."),
    encoding: choice(["hex", "base64"], "How the signature is written; `hex` where absent."),
    prefix: Type.Optional(Type.String({ description: "What comes before the signature, such as `sha256=`." })),
    idHeader: maybe("Header with the name of the delivery; it counts only where it is signed too."),
    timestampHeader: maybe("Header with the time of signing, in seconds since 1970."),
    signed: Type.Optional(
      Type.String({
        description:
          "What is signed, of `{id}`, `{timestamp}`, `{method}`, `{path}` and `{body}`; `{body}` where absent.",
        pattern: "\\{body\\}",
      }),
    ),
    toleranceSeconds: Type.Integer({
      description: "How old or how far ahead a signed time may be.",
      default: 300,
      minimum: 10,
      maximum: 3600,
    }),
    rememberHours: Type.Integer({
      description:
        "How long a delivery is remembered, so that it is not taken twice; longer than its sender repeats it.",
      default: 168,
      minimum: 3,
      maximum: 720,
    }),
  }),
  mtls: closed("A client certificate, issued by one of `platform.tls.clientCa`.", {
    subjects: several(
      name("`CN=name`, `DNS:name`, `URI:…`, `email:…`, or `sha256:` and the fingerprint in hex."),
      "Whose certificates are accepted: any of these has to fit as a whole.",
    ),
  }),
} as const;

type Sent<K extends keyof typeof sentKinds> = { readonly kind: K } & Static<(typeof sentKinds)[K]>;
export type OAuth2Options = Sent<"oauth2">;
export type SessionOptions = Sent<"session">;
export type CsrfOptions = Sent<"csrf">;
export type SentAuth = { readonly [K in keyof typeof sentKinds]: Sent<K> }[keyof typeof sentKinds];

export type AcceptedKind = keyof typeof acceptedKinds;
type Accepted<K extends AcceptedKind> = { readonly kind: K } & Static<(typeof acceptedKinds)[K]>;
export type BasicAuth = Accepted<"basic">;
export type JwtAuth = Accepted<"jwt">;
export type HmacAuth = Accepted<"hmac">;
export type MtlsAuth = Accepted<"mtls">;
export type AcceptedAuth = { readonly [K in AcceptedKind]: Accepted<K> }[AcceptedKind];

// Object.keys loses the type of the names.
export const sentKindNames = Object.keys(sentKinds) as (keyof typeof sentKinds)[];
// Object.keys loses the type of the names.
export const acceptedKindNames = Object.keys(acceptedKinds) as AcceptedKind[];

/**
 * Which kinds can be used where. Signatures are not accepted from the platform, because most of its requests have no
 * body.
 */
export const authPlaces = {
  "connectors.NAME.auth": sentKindNames,
  "platform.forward.TOPIC.request.auth": sentKindNames,
  "senders.NAME.auth": acceptedKindNames,
  "platform.auth": ["none", ...acceptedKindNames.filter((kind) => kind !== "hmac")],
} as const;
