import { operationIds } from "../../contract/operations.ts";
import { isLoopbackAddress } from "../../http-client/network/address-guard.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { fitOptions } from "../checks/fit-options.ts";
import { type ConfigPath, didYouMean, type Objection, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject } from "../document/config-shape.ts";
import { resolveTexts, type Surroundings } from "../document/resolve-text.ts";
import { alarmOptions, expectations } from "./alarm-options.ts";

export interface ReadAlarms {
  /** The whole configuration, with the secrets of `alarms` filled in. */
  readonly value: Record<string, unknown>;
  readonly secrets: readonly string[];
  readonly objections: readonly Objection[];
}

/** Reads `alarms`: fills in secrets and checks what the schema cannot express. */
export function readAlarms(given: Record<string, unknown>, surroundings: Surroundings): ReadAlarms {
  const resolved = resolveTexts(given["alarms"], ["alarms"], surroundings);
  const fromOutside = new Set(resolved.paths.map(pathText));
  const alarms = fitOptions(configShape(alarmOptions), resolved.value, {
    isFromOutside: (path) => fromOutside.has(pathText(["alarms", ...path])),
    folder: surroundings.folder,
  });
  if (!isPlainObject(alarms)) return { value: given, secrets: [], objections: resolved.objections };
  return {
    value: { ...given, alarms },
    secrets: resolved.secrets,
    objections: [...resolved.objections, ...objectionsTo(alarms, given)],
  };
}

/** Checks only values of the right type; the schema reports the others. */
function objectionsTo(alarms: Record<string, unknown>, config: Record<string, unknown>): Objection[] {
  const { silence, expiries, publicUrl, webhook, email } = alarms;
  return [
    ...listOf(silence).flatMap((rule, index) => silenceObjections(rule, ["alarms", "silence", index], config)),
    ...listOf(expiries).flatMap(({ lastDay }, index) =>
      dayObjections(lastDay, ["alarms", "expiries", index, "lastDay"]),
    ),
    ...addressObjections(publicUrl, ["alarms", "publicUrl"]),
    ...(isPlainObject(webhook) ? addressObjections(webhook["url"], ["alarms", "webhook", "url"]) : []),
    ...(isPlainObject(email) ? mailObjections(email) : []),
  ];
}

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map((one: unknown) => (isPlainObject(one) ? one : {})) : [];
const namesIn = (value: unknown): string[] => (isPlainObject(value) ? Object.keys(value) : []);

function silenceObjections(
  { expect, of }: Record<string, unknown>,
  path: ConfigPath,
  { connectors, senders }: Record<string, unknown>,
): Objection[] {
  if (typeof of !== "string") return [];
  const known =
    expect === "requests"
      ? operationIds.filter((id) => id !== "getStatus")
      : expect === "looks"
        ? namesIn(connectors)
        : [...namesIn(senders), ...namesIn(connectors), "key"];
  if (known.includes(of) || !expectations.some((one) => one === expect)) return [];
  const hint = `${didYouMean(nearestName(of, known))}There ${known.length === 0 ? "is none yet" : `are ${known.join(", ")}`}.`;
  return [{ path: [...path, "of"], text: `nothing can ever arrive from ${JSON.stringify(of)}`, hint }];
}

function dayObjections(given: unknown, path: ConfigPath): Objection[] {
  if (typeof given !== "string" || !/^\d{4}-\d\d-\d\d$/.test(given)) return [];
  const day = new Date(`${given}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given);
  return isDay ? [] : [{ path, text: `${given} is no day`, hint: "Write year, month and day: 2027-01-31." }];
}

function addressObjections(given: unknown, path: ConfigPath): Objection[] {
  if (typeof given !== "string") return [];
  const url = URL.canParse(given) ? new URL(given) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb ? [] : [{ path, text: "this is not a web address", hint: "Begin it with https://." }];
}

function mailObjections({ host, security, user, password, from, to }: Record<string, unknown>): Objection[] {
  const path = ["alarms", "email"];
  const isHere = typeof host === "string" && (host === "localhost" || isLoopbackAddress(host));
  const found: Objection[] = [];
  if ((user === undefined) !== (password === undefined)) {
    found.push({ path, text: "a name and a password belong together", hint: "Write both user and password, or none." });
  }
  if (security === "none" && password !== undefined && !isHere) {
    const hint = "Use starttls or tls; where the server takes mail without a login, leave user and password out.";
    found.push({ path: [...path, "security"], text: "the password would be sent unencrypted", hint });
  }
  for (const [index, address] of [from, ...(Array.isArray(to) ? to : [])].entries()) {
    // A line break would start another mail header.
    if (typeof address !== "string" || /^[^\r\n]*[^\s@]+@[^\s@]+$/.test(address.replace(/>$/, ""))) continue;
    const place = index === 0 ? [...path, "from"] : [...path, "to", index - 1];
    found.push({ path: place, text: "this is not an e-mail address", hint: "Write it as it@example.com." });
  }
  return found;
}
