import { isSecretName } from "./secret-names.ts";

const masked = "***";

/**
 * A copy of a value with the members masked whose names mark them as secrets. Every other text is cleaned, each for
 * itself. What `isShown` accepts is shown even so, such as a text that says where a secret is kept.
 */
export function maskMembers(value: unknown, clean: (text: string) => string, isShown = (_: string) => false): unknown {
  return maskedIn(value, "");

  function maskedIn(one: unknown, name: string): unknown {
    if (typeof one === "string") return isSecretName(name) && one !== "" && !isShown(one) ? masked : clean(one);
    if (typeof one !== "object" || one === null) return one;
    if (Array.isArray(one)) return one.map((element) => maskedIn(element, name));
    return Object.fromEntries(Object.entries(one).map(([own, member]) => [own, maskedIn(member, own)]));
  }
}
