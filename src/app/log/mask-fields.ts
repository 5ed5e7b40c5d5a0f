import { maskEmail } from "../../engine/journal-view/entries/mask-personal.ts";
import { withoutAddresses } from "../../engine/journal-view/support/support-bundle.ts";
import { maskTextByName } from "../../operation/secrets/mask-by-name.ts";
import { isSecretName } from "../../operation/secrets/secret-names.ts";

export interface Masking {
  /** Masks every secret of the configuration in a text. */
  readonly maskSecrets: (text: string) => string;
  /** Names of people in the configuration; empty if they may be shown. */
  readonly people: () => readonly string[];
  readonly hidesPeople: () => boolean;
}

/** Names of fields that say who did something. */
const person = /^(operator|user|user_?name|user_?e?mail|e?mail|person)$/i;
/** A shorter name would also be found inside words and numbers. */
const shortestName = 3;
/** Deeper nested values are left out: a field may hold anything that a third-party module has thrown. */
const mostDepth = 6;
const mostMembers = 200;

/** Says nothing about a secret. Everything else may hold one: a list of header values, a number, bytes. */
const isPlain = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || typeof value === "boolean";

/**
 * Masks secrets and people in the fields of a log line: by the name of a field or of a member in a text, such as the
 * answer of an external system, and by known values in every text.
 */
export function maskFields(fields: object, masking: Masking): object {
  const names = masking.hidesPeople() ? masking.people().filter((name) => name.length >= shortestName) : [];
  const text = (given: string): string => {
    const known = maskTextByName(masking.maskSecrets(given));
    if (!masking.hidesPeople()) return known;
    return names.reduce((rest, name) => rest.replaceAll(name, maskEmail(name)), withoutAddresses(known));
  };
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > mostDepth) return "…";
    if (value instanceof Error) return errorFields(value, depth);
    if (value instanceof Date) return value;
    if (Array.isArray(value)) return value.slice(0, mostMembers).map((one: unknown) => walk(one, depth + 1));
    return members(value, depth);
  };
  const members = (value: object, depth: number): object =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, mostMembers)
        .map(([name, own]: [string, unknown]) => [name, member(name, own, depth)]),
    );
  const member = (name: string, value: unknown, depth: number): unknown => {
    if (isSecretName(name) && !isPlain(value)) return "***";
    if (typeof value === "string" && value !== "" && person.test(name) && masking.hidesPeople())
      return maskEmail(value);
    return walk(value, depth + 1);
  };
  /** Returns an error as the log library would write it, because its own members cannot be listed. */
  const errorFields = (error: Error, depth: number): object => ({
    type: error.name,
    message: text(error.message),
    stack: text(error.stack ?? ""),
    ...members(error, depth),
    ...(error.cause === undefined ? {} : { cause: walk(error.cause, depth + 1) }),
  });
  return members(fields, 0);
}
