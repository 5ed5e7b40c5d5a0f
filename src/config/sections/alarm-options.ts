import { type Static, Type } from "typebox";
import { pushTopics } from "../../contract/pushes.ts";
import { type AlarmKind, alarmKinds } from "../../engine/alarms/alarm.ts";
import { type SilenceRule, type Weekday, weekdays } from "../../engine/alarms/alarm-conditions.ts";
import { defaultLanguage, type Language, languages } from "../../messages/languages.ts";

const closed = { additionalProperties: false };
const choice = <Name extends string>(names: readonly Name[], description: string, more: { default?: Name } = {}) =>
  Type.Unsafe<Name>({ type: "string", enum: [...names], description, ...more });
const minutes = (description: string, fallback: number) =>
  Type.Number({ description, default: fallback, minimum: 0, maximum: 525_600 });
const clockTime = "([01][0-9]|2[0-3]):[0-5][0-9]";

export const expectations = [...pushTopics, "requests", "looks"] as const satisfies readonly SilenceRule["expect"][];
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
          user: Type.Optional(Type.String({ description: "User name for the login.", minLength: 1 })),
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
