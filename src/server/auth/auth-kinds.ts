import { type Static, type TProperties, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";

/** Long enough that nobody guesses it, however many addresses they guess from. */
const minSecretLength = 16;

const name = (description: string) => Type.String({ description, minLength: 1 });
const secret = (description: string, minLength = minSecretLength) =>
  Type.String({ description, minLength, "x-secret": true });
const several = <S extends Parameters<typeof Type.Array>[0]>(element: S, description: string) =>
  Type.Array(element, { description, minItems: 1, maxItems: 100 });
const choice = <const Names extends readonly string[]>(names: Names, description: string) =>
  Type.Optional(Type.Unsafe<Names[number]>({ type: "string", enum: [...names], description }));
const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { description, additionalProperties: false });

const user = closed("One user.", {
  user: name("User name, without a colon."),
  password: secret("Password, at least 12 characters.", 12),
});

const key = closed("A key, sent as `Authorization: Bearer KEY` or `X-Api-Key: KEY`.", {
  keys: several(secret("A key of at least 16 characters."), "Keys that are accepted; two while one takes over."),
});

const basic = closed("User name and password with every request (HTTP Basic).", {
  users: several(user, "Users that are accepted; one may stand there twice, with its old and its new password."),
});

const jwt = closed("A signed token of an issuer, sent as `Authorization: Bearer TOKEN`.", {
  jwksUrl: Type.Optional(
    Type.String({
      description: "Where the issuer publishes its keys; https, or http on this machine.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
  ),
  publicKey: Type.Optional(name("Instead of it: the issuer's public key (PEM), such as `file:issuer.pem`.")),
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
});

const hmac = closed("A signature over the bytes of the body, by a shared secret.", {
  preset: choice(
    ["standard-webhooks", "github", "shopify"],
    "How it is signed, by name; absent: as the members below say.",
  ),
  secrets: several(secret("A secret."), "Secrets that are accepted; two while one takes over."),
  secretEncoding: choice(["text", "base64", "hex"], "How the secrets are written; `text` where absent."),
  header: Type.Optional(name("Header with the signature, or with several, separated by blanks.")),
  algorithm: choice(["sha256", "sha384", "sha512"], "Hash of the HMAC; `sha256` where absent."),
  encoding: choice(["hex", "base64"], "How the signature is written; `hex` where absent."),
  prefix: Type.Optional(Type.String({ description: "What stands before the signature, such as `sha256=`." })),
  idHeader: Type.Optional(name("Header with the name of the delivery; it counts only where it is signed too.")),
  timestampHeader: Type.Optional(name("Header with the time of signing, in seconds since 1970.")),
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
    description: "How long a delivery is remembered, so that it is not taken twice; longer than its sender repeats it.",
    default: 168,
    minimum: 3,
    maximum: 720,
  }),
});

const certificate = closed("A client certificate, issued by one of `platform.tls.clientCa`.", {
  subjects: several(
    name("`CN=name`, `DNS:name`, `URI:…`, `email:…`, or `sha256:` and the fingerprint in hex."),
    "Whose certificates are accepted: any of these has to fit as a whole.",
  ),
});

/** How somebody proves who they are. */
export const authKinds = { key, basic, jwt, hmac, certificate } as const;
export type AuthKind = keyof typeof authKinds;
// The table has these members only; Object.keys forgets their type.
export const authKindNames = Object.keys(authKinds) as AuthKind[];

type Of<K extends AuthKind> = { readonly kind: K } & Static<(typeof authKinds)[K]>;
export type KeyAuth = Of<"key">;
export type BasicAuth = Of<"basic">;
export type JwtAuth = Of<"jwt">;
export type HmacAuth = Of<"hmac">;
export type CertificateAuth = Of<"certificate">;
export type AuthOptions = KeyAuth | BasicAuth | JwtAuth | HmacAuth | CertificateAuth;

export const addressList = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    description: "Addresses or networks it must come from, such as `10.1.0.0/16` or `2001:db8::/32`; absent: any.",
    minItems: 1,
    maxItems: 1000,
  }),
);

/** What stands beside `auth`, which has a schema for each kind. */
export const senderMembers = Type.Object(
  {
    auth: Type.Unsafe<AuthOptions>({
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
