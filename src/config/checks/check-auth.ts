import { createPublicKey } from "node:crypto";
import {
  type AcceptedAuth,
  type AcceptedKind,
  acceptedKindNames,
  acceptedKinds,
  type HmacAuth,
  type JwtAuth,
  type MtlsAuth,
} from "../../http-client/auth/auth-kinds.ts";
import { isLoopbackAddress } from "../../http-client/network/address-guard.ts";
import { meantSentence, nearestName } from "../../kit/nearest-name.ts";
import { hmacStyle, secretBytes } from "../../server/auth/verify-hmac.ts";
import { type ConfigPath, didYouMean, type Objection, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "../document/config-shape.ts";
import { fitOptions, wrongOptions } from "./fit-options.ts";

const isKind = (kind: unknown): kind is AcceptedKind => acceptedKindNames.some((name) => name === kind);

/** Reads one `auth` with the schema of its kind. */
export function readAuth(
  given: unknown,
  path: ConfigPath,
  { fromOutside, folder }: { fromOutside: ReadonlySet<string>; folder: string },
): { value: unknown; objections: Objection[] } {
  if (!isPlainObject(given)) return { value: given, objections: [] };
  const { kind, ...members } = given;
  if (!isKind(kind)) {
    const hint = `${didYouMean(nearestName(String(kind), acceptedKindNames))}Kinds: ${acceptedKindNames.join(", ")}.`;
    const text = kind === undefined ? "the kind is missing" : `there is no kind ${JSON.stringify(kind)}`;
    return { value: given, objections: [{ path: [...path, "kind"], text, hint }] };
  }
  const shape = configShape(acceptedKinds[kind]);
  const isFromOutside = (inner: ConfigPath) => fromOutside.has(pathText([...path, ...inner]));
  const filled = withDefaults(shape, fitOptions(shape, members, { isFromOutside, folder }));
  const extra = unknownKeys(shape, filled);
  const unknown = extra.map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: `the kind ${kind} has no such setting`,
    hint: `${meantSentence(String(inner.at(-1)), allowed)}Known here: ${["kind", ...allowed].join(", ")}.`,
  }));
  // The values are secrets or stand next to secrets, so none is shown.
  const wrong = wrongOptions(acceptedKinds[kind], filled, () => true, extra).map((objection) => ({
    ...objection,
    path: [...path, ...objection.path],
  }));
  // Adding defaults to an object gives an object.
  return { value: { kind, ...(filled as object) }, objections: [...unknown, ...wrong] };
}

/** Checks what the schema cannot express. Ignores values of the wrong type, which were reported already. */
export function authObjections(
  auth: unknown,
  path: ConfigPath,
  { takesCertificates, isPlatform }: { takesCertificates: boolean; isPlatform: boolean },
): Objection[] {
  if (!isPlainObject(auth) || !isKind(auth["kind"])) return [];
  const { kind, ...members } = auth;
  if (wrongOptions(acceptedKinds[kind], members, () => true).length > 0) return [];
  // The schema of this kind has just checked it.
  const accepted = auth as AcceptedAuth;
  const at = (member: string, text: string, hint: string): Objection => ({ path: [...path, member], text, hint });
  switch (accepted.kind) {
    case "jwt":
      return tokenObjections(accepted, at);
    case "hmac":
      if (!isPlatform) return signatureObjections(accepted, at);
      return [at("kind", "the platform does not sign its requests", "Use apiKey, basic, jwt or mtls.")];
    case "mtls":
      return [
        ...(takesCertificates
          ? []
          : [
              at(
                "kind",
                "client certificates are not requested",
                "Set platform.tls.clientCa to the file of its authority.",
              ),
            ]),
        ...subjectObjections(accepted, at),
      ];
    case "basic":
      return accepted.users.some(({ username }) => username.includes(":"))
        ? [at("users", "a user name with a colon cannot be sent", "Choose another name.")]
        : [];
    default:
      return [];
  }
}

type At = (member: string, text: string, hint: string) => Objection;

function tokenObjections({ jwksUrl, publicKey }: JwtAuth, at: At): Objection[] {
  const hint = "Name the address of the issuer's keys in jwksUrl, or its public key (PEM) in publicKey.";
  if ((jwksUrl === undefined) === (publicKey === undefined)) return [at("jwksUrl", "one of the two is needed", hint)];
  if (jwksUrl !== undefined) {
    const url = URL.canParse(jwksUrl) ? new URL(jwksUrl) : null;
    const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
    const isHere = host === "localhost" || isLoopbackAddress(host);
    if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return [];
    return [at("jwksUrl", "without https, the keys could be replaced in transit", "Use https.")];
  }
  try {
    createPublicKey(publicKey ?? "");
    return [];
  } catch {
    return [at("publicKey", "this is no public key", hint)];
  }
}

function signatureObjections(auth: HmacAuth, at: At): Objection[] {
  const style = hmacStyle(auth);
  const found: Objection[] = [];
  if (style.header === "") {
    found.push(at("header", "the header with the signature is not known", "Name a preset, or the header."));
  }
  for (const [name, header] of [["id", style.idHeader] as const, ["timestamp", style.timestampHeader] as const]) {
    const isSigned = style.signed.includes(`{${name}}`);
    if (isSigned && header === undefined) {
      found.push(at("signed", `the header with {${name}} is not known`, `Name its header in ${name}Header.`));
    }
    if (!isSigned && header !== undefined) {
      const hint = `Put {${name}} into signed as the sender does, or leave ${name}Header out.`;
      found.push(at(`${name}Header`, "an unsigned value proves nothing", hint));
    }
  }
  for (const [index, secret] of auth.secrets.entries()) {
    if (secretBytes(style, secret).length >= 8) continue;
    found.push(
      at("secrets", `secret ${index + 1} is not written as ${style.secretEncoding}`, "Copy it as it was given."),
    );
  }
  return found;
}

function subjectObjections({ subjects }: MtlsAuth, at: At): Objection[] {
  const isKnown = (subject: string) => /^(CN=|DNS:|URI:|email:)./.test(subject) || isFingerprint(subject);
  const hint = "Write CN=name, DNS:name, URI:…, email:…, or sha256: and the fingerprint.";
  return subjects.flatMap((subject) => (isKnown(subject) ? [] : [at("subjects", `${subject} names nobody`, hint)]));
}

const isFingerprint = (subject: string) => /^sha256:([0-9a-f]{2}:?){32}$/i.test(subject);
