import { type Static, Type } from "typebox";
import { limits } from "../contract/limits.ts";
import { choice, group, named, section } from "../contract/schemas/parts.ts";
import { defaultFreshness } from "../engine/fallback/last-known.ts";
import { type Capability, capabilities, capabilityNames } from "../engine/queries/routing.ts";
import { fileOptionsSchema, fileProfileSchema } from "../formats/import/file-settings.ts";
import type { AcceptedAuth } from "../http-client/auth/auth-kinds.ts";
import { type LogRoom, logRoomNames, logRooms } from "../messages/log/log-line.ts";
import { badRecordsOption } from "../operation/bad-records.ts";
import { addressList, type SenderOptions } from "../server/auth/sender-options.ts";
import { inboundOptions } from "../server/inbound/inbound-options.ts";
import { alarmOptions } from "./sections/alarm-options.ts";
import { consoleOptions } from "./sections/console-options.ts";
import { deploymentOptions } from "./sections/deployment-options.ts";
import { eventOptions } from "./sections/event-options.ts";
import type { ForwardSection } from "./sections/forward-options.ts";

/**
 * Defines the configuration file. Parser, checks, defaults, docs/reference/configuration.md and the JSON Schema for
 * editors are derived from it. Every member has a description and, unless it may be absent, a default.
 */

const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
const openRoutes = ["status", "health", "docs"] as const;
/** Without signatures: most of the platform's requests have no body to sign. */
export type PlatformAuth = Exclude<AcceptedAuth, { kind: "hmac" }>;

const budget = (description: string, fallback: number) =>
  Type.Integer({ description, default: fallback, minimum: 10, maximum: 120_000 });

const freshMinutes = (description: string, fallback: number) =>
  Type.Number({ description, default: fallback, minimum: 0, maximum: 525_600 });

const exportColumn = section("One extra column of the platform's work order export.", {
  key: Type.String({ description: "Stable name; the platform stores column selections under it.", minLength: 1 }),
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
    description: "Path in front of all routes, such as `/adapter`, if a proxy passes it on.",
    default: "",
    pattern: "^(/[A-Za-z0-9._~-]+)*$",
  }),
  hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, pattern: "^[^\\s/:]+$" }), {
      description:
        "Host names that requests may use in the Host header, such as `adapter.example.com`; others are answered with " +
        "421. IP addresses and `localhost` are always allowed. Absent: every name; none if it listens on a loopback " +
        "address, because a web page could point its own host name there (DNS rebinding).",
    }),
  ),
  store: Type.Optional(
    Type.String({
      description:
        "A PostgreSQL that stores every event before it is answered, as `postgres://user:password@host/database`; the data " +
        "folder is then only a copy, and a second process with the same setting takes over if this one fails. Absent: the " +
        "data folder. The variable CROSSDOCK_STORE takes precedence.",
      // A reference is replaced before it is checked; editors see it as it is written.
      pattern: "^(postgres(ql)?://|\\$\\{|file:|credential:|exec:)",
    }),
  ),
  deployment: Type.String({
    description: "Name of this deployment in the PostgreSQL; processes with the same name belong together.",
    default: "default",
    minLength: 1,
    maxLength: 64,
    pattern: "^[A-Za-z0-9._-]+$",
  }),
  storeHistoryDays: Type.Integer({
    description:
      "For how many days PostgreSQL keeps every change, so that `crossdock restore --at` can restore any time within them. " +
      "It takes about twice the size of the changes of that time.",
    default: 7,
    minimum: 0,
    maximum: 366,
  }),
  deployments: Type.Optional(deploymentOptions),
  timeZone: Type.String({
    description: "Time zone of dates without offset, as an IANA name such as `Europe/Berlin`.",
    default: "UTC",
  }),
  timeOfDay: Type.String({
    description: "Time of day for dates without a time, as `HH:mm`.",
    default: "00:00",
    pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  }),
  validationMode: choice(
    ["envelope", "problem-details"],
    "How a request that fails validation is answered: 200 with the envelope, or 400 with problem details.",
    "envelope",
  ),
  bodyLimitMiB: Type.Integer({
    description:
      "Largest accepted body of a list, a file, an export or a push in MiB; larger ones are answered with 413. Events " +
      `and other queries have at most ${limits.smallBodyMiB} MiB.`,
    default: 64,
    minimum: 1,
    maximum: 512,
  }),
  logLevel: choice(logLevels, "How much is logged.", "info"),
  logging: group("What the log shows.", {
    rooms: group(
      "Another level for some rooms, as docs/reference/log-messages.md names them; `crossdock log level` sets one for a while.",
      named(logRoomNames, (room: LogRoom) => Type.Optional(choice(logLevels, `${logRooms[room]}.`))),
    ),
    personalData: choice(
      ["mask", "show"],
      "Whether names and addresses of people are masked. Who did what is kept in the audit in either case.",
      "mask",
    ),
  }),
  budgets: group("Time limits of answers, in milliseconds.", {
    eventMs: budget("Events.", 300),
    stepMs: budget("Step confirmations.", 1500),
    scanMs: budget("Scans, items and images.", 3000),
    listMs: budget("Lists, files, reports and exports.", 20_000),
  }),
  orders: group("Work orders coming from the external system.", {
    badRecords: badRecordsOption("quarantine", {
      of: "the whole list that the platform asked for",
      shown: "it is listed by `crossdock quarantine`",
    }),
    expireAfterDays: Type.Optional(
      Type.Number({
        description:
          "Number of days after the due date until an order that was not started is no longer offered; absent: never.",
        minimum: 0,
      }),
    ),
    removedReceiptAfterMinutes: Type.Number({
      description:
        "How long to wait after a line of an unstarted order was cancelled before the receipt `removed` is sent to the " +
        "external system; 0 sends it at once. A change that was sent to the platform with the answer to a step is awaited " +
        "for the same time, but at least two hours, until a later step confirms it.",
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
        description: "The complete list of container codes; absent: every code is accepted.",
      }),
    ),
  }),
  files: group("Uploaded work order and item files.", {
    badRecords: badRecordsOption("refuse", {
      of: "the whole file",
      shown: "the answer to the upload says how many, and the row of the first",
    }),
    encoding: fileOptionsSchema.properties.encoding,
    profiles: Type.Array(fileProfileSchema, {
      description: "Formats and headings of your own files.",
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
    "Which connector answers which queries: its name, `embedded` for Crossdock's own store (the default), or " +
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
  events: eventOptions,
  senders: Type.Unsafe<Record<string, SenderOptions>>({
    type: "object",
    description:
      "Who may push in addition to holders of the API key, by a name of your choice: `auth`, and optionally `addresses`, " +
      "`topics` and `enabled`.",
    additionalProperties: { type: "object" },
    default: {},
  }),
  inbound: Type.Array(inboundOptions, {
    description: "Additional routes for pushes, for senders that need their own paths, payloads or answers.",
    default: [],
  }),
  trustProxy: Type.Array(Type.String({ minLength: 1 }), {
    description: "Proxies whose `X-Forwarded-For` header is trusted, by address or network; from others it is ignored.",
    default: [],
  }),
  platform: group("Settings for the platform.", {
    auth: Type.Optional(
      Type.Unsafe<PlatformAuth>({
        type: "object",
        description:
          "How the platform authenticates: `kind` and the members of that kind; absent: it does not have to.",
      }),
    ),
    addresses: addressList,
    openRoutes: Type.Array(choice(openRoutes, "Routes."), {
      description: "Routes that need no authentication, even if the platform has to authenticate.",
      default: [...openRoutes],
    }),
    forward: Type.Unsafe<ForwardSection>({
      type: "object",
      description:
        "Pushes that are forwarded to the platform's own interface, by topic: `mode` and `request`; `limits` for all of them.",
      default: {},
    }),
    tls: Type.Optional(
      section("Serves HTTPS instead of HTTP. The files are read again when they change.", {
        cert: Type.String({
          description: "File with the certificate and its intermediate certificates (PEM).",
          minLength: 1,
        }),
        key: Type.String({ description: "File with the private key (PEM).", minLength: 1 }),
        clientCa: Type.Optional(
          Type.String({
            description: "File with the certificate authorities for client certificates (PEM).",
            minLength: 1,
          }),
        ),
      }),
    ),
  }),
  console: consoleOptions,
  alarms: alarmOptions,
  retention: group("How long finished journal entries are kept, in days. Unfinished ones are never erased.", {
    // An event with an Idempotency-Key is recognised by its body for seven days, so bodies must be kept that long.
    bodiesDays: Type.Number({ description: "Bodies.", default: 30, minimum: 7 }),
    entriesDays: Type.Number({ description: "Everything else.", default: 180, minimum: 8 }),
  }),
  exportColumns: Type.Array(exportColumn, { description: "Extra columns of the work order export.", default: [] }),
  indexableValueLabel: Type.String({
    description: "Heading of the column with an order's external indexable value; empty hides the column.",
    default: "",
  }),
});

/** The configuration as read from the file, with defaults. */
export type Config = Static<typeof configSchema>;
