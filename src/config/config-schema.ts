import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { type EventId, operationIds, operationRow } from "../contract/operations.ts";
import { defaultFreshness } from "../engine/fallback/last-known.ts";
import { type Capability, capabilities, capabilityNames, type DeliveryMode } from "../engine/queries/routing.ts";
import { fileOptionsSchema, fileProfileSchema } from "../formats/import/file-settings.ts";
import type { AcceptedAuth } from "../http-client/auth/auth-kinds.ts";
import { badRecordsOption } from "../operation/bad-records.ts";
import { addressList, type SenderOptions } from "../server/auth/sender-options.ts";
import { inboundOptions } from "../server/inbound/inbound-options.ts";
import { alarmOptions } from "./sections/alarm-options.ts";
import type { ForwardSection } from "./sections/forward-options.ts";

/**
 * The configuration file, said once: parser, checks, defaults, docs/reference/configuration.md and the JSON Schema
 * for editors follow from it. Every member has a description and, unless it may be absent, a default.
 */

const eventIds = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");
const deliveryModes = ["durable", "direct", "direct-then-durable"] as const satisfies readonly DeliveryMode[];

const openRoutes = ["status", "health", "docs"] as const;
/** There is no body to sign in most of the platform's requests. */
export type PlatformAuth = Exclude<AcceptedAuth, { kind: "hmac" }>;

/** A closed group: a key we do not know is a typing error, and silently ignoring it would hide that. */
const section = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false });

/** A group that is there with its defaults even where the file does not mention it. */
const group = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false, default: {} });

const choice = <const Names extends readonly string[]>(names: Names, description: string, fallback?: Names[number]) =>
  Type.Unsafe<Names[number]>({
    type: "string",
    enum: [...names],
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

const budget = (description: string, fallback: number) =>
  Type.Integer({ description, default: fallback, minimum: 10, maximum: 120_000 });

const concurrency = { description: "Deliveries at the same time.", minimum: 1, maximum: 256 };
const ratePerSecond = Type.Optional(
  Type.Number({ description: "At most this many deliveries in a second; absent: no limit.", exclusiveMinimum: 0 }),
);
const timeoutMs = {
  description: "How long one background delivery may take, in milliseconds.",
  minimum: 100,
  maximum: 300_000,
};
const targetLimits = section("Limits of one connector that gets events.", {
  concurrency: Type.Optional(Type.Integer(concurrency)),
  ratePerSecond,
  timeoutMs: Type.Optional(Type.Integer(timeoutMs)),
});
type TargetLimits = Static<typeof targetLimits>;
const freshMinutes = (description: string, fallback: number) =>
  Type.Number({ description, default: fallback, minimum: 0, maximum: 525_600 });

/** Closed groups whose members have one description each, made from a table. */
const named = <Name extends string, S extends TSchema>(names: readonly Name[], member: (name: Name) => S) =>
  // fromEntries forgets the names it was given.
  Object.fromEntries(names.map((name) => [name, member(name)])) as Record<Name, S>;

const exportColumn = section("One extra column of the platform's work order export.", {
  key: Type.String({ description: "Stable name; the platform remembers column selections by it.", minLength: 1 }),
  header: Type.String({ description: "Heading in the selection list and in the exported file.", minLength: 1 }),
  value: Type.String({
    description:
      "Where the value comes from: a path such as `externalData.customer.name`, or any JSONata expression over " +
      "`externalData`, `deliveryNote`, `deliveryAddress` and `order`.",
    minLength: 1,
  }),
});

export const configSchema = section("Configuration of Crossdock.", {
  basePath: Type.String({
    description: "Path in front of all routes, such as `/adapter`, where a proxy passes it on.",
    default: "",
    pattern: "^(/[A-Za-z0-9._~-]+)*$",
  }),
  hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, pattern: "^[^\\s/:]+$" }), {
      description:
        "Names that the adapter is called by in the Host header, such as `adapter.example.com`; others are answered with " +
        "421. Addresses and `localhost` are always right. Absent: every name, but none where it listens on a loopback " +
        "address, since a web page could point a name of its own there.",
    }),
  ),
  timeZone: Type.String({
    description: "IANA name of the zone in which dates without offset are meant, such as `Europe/Berlin`.",
    default: "UTC",
  }),
  timeOfDay: Type.String({
    description: "Time of day given to dates without a time, as `HH:mm`.",
    default: "00:00",
    pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  }),
  validationMode: choice(
    ["envelope", "problem-details"],
    "How a request that fails validation is answered: 200 with the envelope, or 400 with problem details.",
    "envelope",
  ),
  bodyLimitMiB: Type.Integer({
    description: "Largest accepted request body in MiB; larger ones are answered with 413.",
    default: 64,
    minimum: 1,
    maximum: 512,
  }),
  logLevel: choice(["debug", "info", "warn", "error", "silent"], "How much is logged.", "info"),
  budgets: group("How long an answer may take, in milliseconds.", {
    eventMs: budget("Events.", 300),
    stepMs: budget("Step confirmations.", 1500),
    scanMs: budget("Scans, items and images.", 3000),
    listMs: budget("Lists, files, reports and exports.", 20_000),
  }),
  orders: group("Work orders coming from the external system.", {
    badRecords: badRecordsOption("quarantine", {
      of: "the whole list that the platform asked for",
      told: "it is listed by `crossdock quarantine`",
    }),
    expireAfterDays: Type.Optional(
      Type.Number({
        description: "Days after the due date when an order that nobody started is no longer offered; absent: never.",
        minimum: 0,
      }),
    ),
    removedReceiptAfterMinutes: Type.Number({
      description:
        "How long a cancelled line of an order nobody began is watched before the external system is told that it " +
        "was removed; 0 tells it at once. As long, but two hours at least, a change that went out with a step is " +
        "waited for to be shown by another one.",
      default: 720,
      minimum: 0,
    }),
  }),
  containers: group("Containers that orders are attached to.", {
    pattern: Type.Optional(
      Type.String({ description: "Regular expression (RE2) that a container code has to match as a whole." }),
    ),
    known: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "All container codes there are; absent: every code is accepted.",
      }),
    ),
  }),
  files: group("Uploaded work order and item files.", {
    badRecords: badRecordsOption("refuse", {
      of: "the whole file",
      told: "whoever uploads the file is told how many, and the first row",
    }),
    encoding: fileOptionsSchema.properties.encoding,
    profiles: Type.Array(fileProfileSchema, {
      description: "Files with headings or formats of their own.",
      default: [],
    }),
  }),
  connectors: Type.Unsafe<Record<string, { type: string; [option: string]: unknown }>>({
    type: "object",
    description: "External systems by a name of your choice: `type` and the options of that type.",
    additionalProperties: {
      type: "object",
      required: ["type"],
      properties: { type: { type: "string", minLength: 1 } },
    },
    default: {},
  }),
  serve: group(
    "Which connector answers which question: its name, `embedded` for Crossdock's own store (where nothing is said), or " +
      "`none` to switch the capability off, so that the platform gets AdapterNotDefined.",
    {
      ...named(capabilityNames, (name: Capability) =>
        Type.Optional(Type.String({ description: capabilities[name].summary, minLength: 1 })),
      ),
      unservedPushes: choice(
        ["take", "refuse"],
        "What becomes of pushed orders or items where another connector is named for `workOrders` or `items` and they are " +
          "not sent on to the platform, so that no list shows them: taken over with a warning, or refused with 409.",
        "take",
      ),
      freshness: group(
        "While a connector does not answer, its last known data is used; how old that may be, in minutes. 0: never.",
        {
          workOrdersMinutes: freshMinutes("The list of work orders.", defaultFreshness.workOrdersMinutes),
          codeLookupMinutes: freshMinutes("Scanned codes.", defaultFreshness.codeLookupMinutes),
          putWallMinutes: freshMinutes("Put wall codes.", defaultFreshness.putWallMinutes),
          itemsMinutes: freshMinutes("Items.", defaultFreshness.itemsMinutes),
          imagesMinutes: freshMinutes("Product images.", defaultFreshness.imagesMinutes),
        },
      ),
    },
  ),
  events: group("Delivery of floor events to external systems.", {
    to: Type.Optional(
      Type.String({ description: "Name of the connector that gets the events and receipts; absent: nobody." }),
    ),
    by: Type.Unsafe<Partial<Record<EventId, string>>>({
      type: "object",
      description: "Single events for another connector, by operation; `none` keeps one inside.",
      properties: named(eventIds, (id) => Type.String({ description: operationRow(id).summary, minLength: 1 })),
      additionalProperties: false,
      default: {},
    }),
    modes: Type.Unsafe<Partial<Record<EventId, DeliveryMode>>>({
      type: "object",
      description:
        "Delivery mode by operation: `durable` (answered at once, delivered later), `direct` (the external system " +
        "must agree now) or `direct-then-durable` (it is asked now; what it does not answer in time goes on later).",
      properties: Object.fromEntries(eventIds.map((id) => [id, choice(deliveryModes, operationRow(id).summary)])),
      additionalProperties: false,
      default: {},
    }),
    concurrency: Type.Integer({ ...concurrency, default: 8 }),
    ratePerSecond,
    timeoutMs: Type.Integer({ ...timeoutMs, default: 15_000 }),
    limits: Type.Unsafe<Record<string, TargetLimits>>({
      type: "object",
      description: "Limits of single connectors, by name: `concurrency`, `ratePerSecond`, `timeoutMs`.",
      additionalProperties: targetLimits,
      default: {},
    }),
    repeatWindowMinutes: Type.Number({
      description: "How long an equal event can count as a retry of the platform.",
      default: 15,
      minimum: 0,
    }),
  }),
  senders: Type.Unsafe<Record<string, SenderOptions>>({
    type: "object",
    description:
      "Who may push besides whoever has the API key, by a name of your choice: `auth`, and perhaps `addresses`, " +
      "`topics` and `enabled`.",
    additionalProperties: { type: "object" },
    default: {},
  }),
  inbound: Type.Array(inboundOptions, {
    description: "Routes for pushes beside the default ones, for senders with paths, payloads or answers of their own.",
    default: [],
  }),
  trustProxy: Type.Array(Type.String({ minLength: 1 }), {
    description:
      "Proxies whose `X-Forwarded-For` is believed, by address or network; others could write anything there.",
    default: [],
  }),
  platform: group("The side of the platform.", {
    auth: Type.Optional(
      Type.Unsafe<PlatformAuth>({
        type: "object",
        description: "How the platform proves who it is: `kind` and the members of that kind; absent: it need not.",
      }),
    ),
    addresses: addressList,
    openRoutes: Type.Array(choice(openRoutes, "Routes."), {
      description: "What is answered to anybody, also where the platform has to prove who it is.",
      default: [...openRoutes],
    }),
    forward: Type.Unsafe<ForwardSection>({
      type: "object",
      description:
        "Pushes that go on to the platform's own interface, by topic: `mode` and `request`; `limits` for all of them.",
      default: {},
    }),
    tls: Type.Optional(
      section("Serves HTTPS instead of HTTP. The files are read again when they change.", {
        cert: Type.String({
          description: "File with the certificate and those between it and its root (PEM).",
          minLength: 1,
        }),
        key: Type.String({ description: "File with its private key (PEM).", minLength: 1 }),
        clientCa: Type.Optional(
          Type.String({ description: "File with the authorities of client certificates (PEM).", minLength: 1 }),
        ),
      }),
    ),
  }),
  alarms: alarmOptions,
  retention: group("How long finished journal entries are kept, in days. Unfinished ones are never erased.", {
    // An event with an Idempotency-Key is known again for seven days, by its body.
    bodiesDays: Type.Number({ description: "Bodies.", default: 30, minimum: 7 }),
    entriesDays: Type.Number({ description: "Everything else.", default: 180, minimum: 8 }),
  }),
  exportColumns: Type.Array(exportColumn, { description: "Extra columns of the work order export.", default: [] }),
  indexableValueLabel: Type.String({
    description: "Heading of the column with an order's external indexable value; empty hides the column.",
    default: "",
  }),
});

/** The configuration file, read and with its defaults. */
export type Config = Static<typeof configSchema>;
