import { type Static, Type } from "typebox";
import { pushTopics } from "../../contract/pushes.ts";
import { type AlarmKind, alarmKinds } from "../../engine/alarms/alarm.ts";
import { type SilenceRule, type Weekday, weekdays } from "../../engine/alarms/silence-conditions.ts";
import { defaultLanguage, type Language, languages } from "../../messages/languages.ts";

const closed = { additionalProperties: false };
const choice = <Name extends string>(names: readonly Name[], description: string, more: { default?: Name } = {}) =>
  Type.Unsafe<Name>({ type: "string", enum: [...names], description, ...more });
const minutes = (description: string, fallback: number) =>
  Type.Number({ description, default: fallback, minimum: 0, maximum: 525_600 });
const clockTime = "([01][0-9]|2[0-3]):[0-5][0-9]";

export const expectations = [...pushTopics, "requests", "looks"] as const satisfies readonly SilenceRule["expect"][];
const securities = ["tls", "starttls", "none"] as const;

/** `alarms`: what is watched, how patiently, and who is told. */
export const alarmOptions = Type.Object(
  {
    workingHours: Type.Object(
      {
        days: Type.Array(choice<Weekday>(weekdays, "Day on which a shift begins."), {
          description: "Days on which shifts begin.",
          default: [...weekdays.slice(1), ...weekdays.slice(0, 1)],
        }),
        from: Type.String({ description: "Begin, as `HH:mm`.", default: "00:00", pattern: `^${clockTime}$` }),
        to: Type.String({
          description: "End, as `HH:mm` or `24:00`; not after `from`: on the next day.",
          default: "24:00",
          pattern: `^(${clockTime}|24:00)$`,
        }),
      },
      { ...closed, description: "When silence counts, in `timeZone`.", default: {} },
    ),
    silence: Type.Array(
      Type.Object(
        {
          expect: choice<SilenceRule["expect"]>(
            expectations,
            "What has to come: pushes of a topic, requests of the platform, or looks of a connector into its system.",
          ),
          of: Type.Optional(
            Type.String({
              description:
                "From whom: a sender, a connector or `key` (the API key); of `requests`, the operation. Absent: whichever.",
              minLength: 1,
            }),
          ),
          minutes: Type.Number({ description: "How long it may be missing.", minimum: 1, maximum: 525_600 }),
          always: Type.Boolean({ description: "Whether silence counts outside working hours too.", default: false }),
        },
        { ...closed, description: "Something that has to come regularly." },
      ),
      { description: "What has to come regularly.", default: [] },
    ),
    stuckMinutes: minutes("How long nothing may go out although something waits, in minutes; 0: for ever.", 15),
    circuitOpenMinutes: minutes("How long a target may be in trouble, in minutes; 0: for ever.", 5),
    expiryDays: Type.Number({
      description: "How many days before tokens and certificates end somebody is told; 0: never.",
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
        { ...closed, description: "Something that ends." },
      ),
      {
        description: "Things that end and do not say so themselves, such as the client secret of an ERP.",
        default: [],
      },
    ),
    clearAfterMinutes: minutes("How long all has to be well before an alarm is over.", 5),
    remindAfterHours: Type.Number({
      description: "After how many hours somebody is told again; 0: never.",
      default: 24,
      minimum: 0,
      maximum: 8760,
    }),
    off: Type.Array(choice<AlarmKind>(alarmKinds, "Alarm."), {
      description: "Alarms that are not wanted.",
      default: [],
    }),
    language: choice<Language>(languages, "Language of alerts.", { default: defaultLanguage }),
    publicUrl: Type.Optional(
      Type.String({
        description: "Address under which people reach the adapter, for links; absent: where it listens.",
        minLength: 1,
      }),
    ),
    webhook: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: "Where alerts are sent, one POST each.", minLength: 1 }),
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
          ca: Type.Optional(Type.String({ description: "Certificates (PEM) to trust besides the usual ones." })),
          user: Type.Optional(Type.String({ description: "Name to log in with.", minLength: 1 })),
          password: Type.Optional(Type.String({ description: "Password to log in with.", minLength: 1 })),
          from: Type.String({ description: "Sender of the mails.", minLength: 3 }),
          to: Type.Array(Type.String({ minLength: 3 }), { description: "Who gets them.", minItems: 1 }),
        },
        { ...closed, description: "Alerts as e-mails; needs the library nodemailer." },
      ),
    ),
  },
  { ...closed, description: "What is watched, and who is told. See [alarms.md](../how-to/alarms.md).", default: {} },
);

export type AlarmOptions = Static<typeof alarmOptions>;
