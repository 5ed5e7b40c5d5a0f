import { replaceMembers } from "./replace-members.ts";
import { isSecretName, isSecretParameter, mayNameSecrets } from "./secret-names.ts";

const masked = "***";
// Without quotes and angle brackets: otherwise an address without a login would reach to an `@` of the next member.
const login = /(:\/\/[^/\s:@"<>\\]*:)([^/\s@"<>\\]*)@/g;
const parameter = /([?&]([\w.-]{1,64})=)((?:\$\{\w+\}|[^&#\s"'<>\\,}])+)/g;
/** Says where a secret is kept. */
const reference = /^(?:\$\{\w+\})+$/;
const parameterHint = /[?&;](?:sig|code|auth)=|signature/i;

/** A body without the values whose names mark them as secrets. */
export const maskBodyByName = (text: string): string =>
  mayNameSecrets(text)
    ? replaceMembers(text, (name, value) => (value !== "" && isSecretName(name) ? masked : null))
    : text;

/**
 * The same for a text that may contain an address: an address itself, or a sentence of an external system. The password
 * of an address is masked too.
 */
export function maskTextByName(text: string): string {
  const plain = text.includes("://") ? text.replace(login, `$1${masked}@`) : text;
  if (!mayNameSecrets(plain) && !parameterHint.test(plain)) return plain;
  return replaceMembers(plain, (name, value, place) => {
    const isSecret = place === "address" ? isSecretParameter(name) : isSecretName(name);
    return isSecret && value !== "" ? masked : null;
  });
}

/**
 * A text with the passwords and secret parameters of its addresses masked, and nothing else. A reference to a secret is
 * shown.
 */
export function maskAddresses(text: string): string {
  const shown = (value: string) => (reference.test(value) ? value : masked);
  return text
    .replace(login, (_whole, before: string, password: string) => `${before}${shown(password)}@`)
    .replace(parameter, (whole, before: string, name: string, value: string) =>
      isSecretParameter(name) ? before + shown(value) : whole,
    );
}
