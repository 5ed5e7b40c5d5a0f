import { type Static, Type } from "typebox";
import { operationIds } from "../../contract/operations.ts";
import { pushTopics } from "../../contract/pushes.ts";
import { type AlarmKind, alarmKinds } from "../../engine/alarms/alarm.ts";
import { type SilenceRule, type Weekday, weekdays } from "../../engine/alarms/alarm-conditions.ts";
import { isLoopbackAddress } from "../../http-client/network/address-guard.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { defaultLanguage, type Language, languages } from "../../messages/languages.ts";
import { fitOptions } from "../checks/fit-options.ts";
import { type ConfigPath, didYouMean, type Objection, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject } from "../document/config-shape.ts";
import { resolveTexts, type Surroundings } from "../document/resolve-text.ts";

const closed = { additionalProperties: false };
const choice = <Name extends string>(names: readonly Name[], description: string, more: { default?: Name } = {}) =>
  Type.Unsafe<Name>({ type: "string", enum: [...names], description, ...more });
const minutes = (description: string, fallback: number) =>
  Type.Number({ description, default: fallback, minimum: 0, maximum: 525_600 });
const clockTime = "([01][0-9]|2[0-3]):[0-5][0-9]";

const expectations = [...pushTopics, "requests", "looks"] as const satisfies readonly SilenceRule["expect"][];
const securities = ["tls", "starttls", "none"] as const;

/** `alarms`: what is watched, the time limits, and who is notified. */
export const alarmOptions = Type.Object(
  {
    workingHours: Type.Object(
      {
        days: Type.Array(choice<Weekday>(weekdays, "Day on which a shift starts."), {
          description: "Days on which shifts start.",
          default: [...weekdays.slice(1), ...weekdays.slice(0, 1)],
        }),
        from: Type.String({ description: "Start, as `HH:mm`.", default: "00:00", pattern: `^${clockTime}$` }),
        to: Type.String({
          description: "End, as `HH:mm` or `24:00`; if it is not after `from`, it is on the next day.",
          default: "24:00",
          pattern: `^(${clockTime}|24:00)$`,
        }),
      },
      { ...closed, description: "Hours in which silence is reported, in `timeZone`.", default: {} },
    ),
    silence: Type.Array(
      Type.Object(
        {
          expect: choice<SilenceRule["expect"]>(
            expectations,
            "What is expected: pushes of a topic, requests of the platform, or polls of a connector.",
          ),
          of: Type.Optional(
            Type.String({
              description:
                "The expected source: a sender, a connector or `key` (the API key); for `requests`, the operation. Absent: any.",
              minLength: 1,
            }),
          ),
          minutes: Type.Number({ description: "How long it may be absent, in minutes.", minimum: 1, maximum: 525_600 }),
          always: Type.Boolean({
            description: "Whether silence is also reported outside working hours.",
            default: false,
          }),
        },
        { ...closed, description: "Something that is expected regularly." },
      ),
      { description: "What is expected regularly.", default: [] },
    ),
    sourceFailingMinutes: minutes(
      "How long a poll or a watched folder of a connector may fail, in minutes; 0: no alarm.",
      15,
    ),
    stuckMinutes: minutes("How long nothing may be delivered while entries wait, in minutes; 0: no alarm.", 15),
    circuitOpenMinutes: minutes("How long the circuit breaker of a target may be open, in minutes; 0: no alarm.", 5),
    expiryDays: Type.Number({
      description: "How many days before tokens and certificates expire an alarm is raised; 0: never.",
      default: 14,
      minimum: 0,
      maximum: 3650,
    }),
    expiries: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "What it is.", minLength: 1, maxLength: 100 }),
          lastDay: Type.String({
            description: "Its last day, such as `2027-01-31`.",
            pattern: "^\\d{4}-\\d\\d-\\d\\d$",
          }),
        },
        { ...closed, description: "Something that expires." },
      ),
      {
        description: "Expiry dates that cannot be read automatically, such as that of an ERP's client secret.",
        default: [],
      },
    ),
    clearAfterMinutes: minutes("How long a problem must be gone before its alarm is cleared, in minutes.", 5),
    remindAfterHours: Type.Number({
      description: "After how many hours a reminder is sent; 0: never.",
      default: 24,
      minimum: 0,
      maximum: 8760,
    }),
    off: Type.Array(choice<AlarmKind>(alarmKinds, "Alarm."), {
      description: "Alarms that are switched off.",
      default: [],
    }),
    language: choice<Language>(languages, "Language of alerts.", { default: defaultLanguage }),
    publicUrl: Type.Optional(
      Type.String({
        description: "Public address of the adapter, for links in alerts; absent: the address it listens on.",
        minLength: 1,
      }),
    ),
    webhook: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: "Address that alerts are sent to, one POST each.", minLength: 1 }),
          secrets: Type.Array(Type.String({ minLength: 1 }), {
            description: "Secrets that alerts are signed with, as in Standard Webhooks.",
            default: [],
          }),
        },
        { ...closed, description: "Alerts as signed requests." },
      ),
    ),
    email: Type.Optional(
      Type.Object(
        {
          host: Type.String({ description: "The mail server.", minLength: 1 }),
          port: Type.Optional(
            Type.Integer({ description: "Its port; absent: 465 with `tls`, else 587.", minimum: 1, maximum: 65_535 }),
          ),
          security: choice(securities, "TLS from the start, after STARTTLS, or none.", { default: "starttls" }),
          ca: Type.Optional(Type.String({ description: "Certificates (PEM) to trust in addition to the usual ones." })),
          username: Type.Optional(Type.String({ description: "User name for the login.", minLength: 1 })),
          password: Type.Optional(Type.String({ description: "Password for the login.", minLength: 1 })),
          from: Type.String({ description: "Sender of the mails.", minLength: 3 }),
          to: Type.Array(Type.String({ minLength: 3 }), { description: "Recipients of the mails.", minItems: 1 }),
        },
        { ...closed, description: "Alerts as e-mails; needs the library nodemailer." },
      ),
    ),
  },
  {
    ...closed,
    description: "What is watched, and who is notified. See [alarms.md](../how-to/alarms.md).",
    default: {},
  },
);

export type AlarmOptions = Static<typeof alarmOptions>;

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
  return isDay ? [] : [{ path, text: `${given} is not a date`, hint: "Write year, month and day: 2027-01-31." }];
}

function addressObjections(given: unknown, path: ConfigPath): Objection[] {
  if (typeof given !== "string") return [];
  const url = URL.canParse(given) ? new URL(given) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb ? [] : [{ path, text: "this is not a web address", hint: "Begin it with https://." }];
}

function mailObjections({ host, security, username, password, from, to }: Record<string, unknown>): Objection[] {
  const path = ["alarms", "email"];
  const isHere = typeof host === "string" && (host === "localhost" || isLoopbackAddress(host));
  const found: Objection[] = [];
  if ((username === undefined) !== (password === undefined)) {
    found.push({
      path,
      text: "username and password must be given together",
      hint: "Write both username and password, or none.",
    });
  }
  if (security === "none" && password !== undefined && !isHere) {
    const hint = "Use starttls or tls; where the server takes mail without a login, leave username and password out.";
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
