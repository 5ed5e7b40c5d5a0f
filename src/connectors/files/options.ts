import { type Static, Type } from "typebox";
import { type EventId, operationIds, operationRow } from "../../contract/operations.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { encodings } from "../../formats/encodings/encoding.ts";
import { fileProfileSchema } from "../../formats/import/file-settings.ts";
import { type Where, whereSchema } from "../../formats/import/where.ts";
import { proxyOption } from "../../http-client/network/proxy-choice.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";
import { languages } from "../../messages/languages.ts";
import { badRecordsOption } from "../../operation/bad-records.ts";

const fileFormats = ["csv", "json", "xml"] as const;
export type FileFormat = (typeof fileFormats)[number];

export const eventIds = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");

const closed = { additionalProperties: false } as const;
const filled = (description: string, more: { default?: string; pattern?: string } = {}) =>
  Type.String({ description, minLength: 1, ...more });
const choice = <const Name extends string>(names: readonly Name[], description: string, fallback?: Name) =>
  Type.Unsafe<Name>({
    ...{ type: "string", enum: [...names], description },
    ...(fallback === undefined ? {} : { default: fallback }),
  });
const map = Type.Optional(mappingSchema);

const login = Type.Object(
  {
    host: Type.Optional(filled("Host, where `location` is a path and no `sftp://` address.")),
    port: Type.Optional(Type.Integer({ description: "Port.", minimum: 1, maximum: 65_535, default: 22 })),
    user: filled("User."),
    password: Type.Optional(filled("Password; a secret.")),
    privateKey: Type.Optional(filled("Private key (OpenSSH or PEM text), such as `file:/etc/crossdock/sftp-key`.")),
    passphrase: Type.Optional(filled("Passphrase of the private key; a secret.")),
    hostKey: filled("Fingerprint of the server's key, as `ssh-keygen -lf` prints it.", {
      pattern: "^SHA256:[A-Za-z0-9+/]{43}$",
    }),
    timeoutMs: Type.Optional(
      Type.Integer({ description: "How long the server may take for one answer.", default: 20_000, minimum: 100 }),
    ),
  },
  { ...closed, description: "Login, where the files lie behind SFTP." },
);

const seconds = (description: string, fallback: number) =>
  Type.Optional(Type.Number({ description, default: fallback, minimum: 0, maximum: 86_400 }));

const incoming = Type.Object(
  {
    topic: Type.Unsafe<PushTopic>({ type: "string", enum: pushTopics, description: "What the files hold." }),
    folder: Type.Optional(Type.String({ description: "Folder below `location`.", default: "" })),
    pattern: Type.Optional(filled("Which files: `*` stands for any characters, `?` for one.", { default: "*" })),
    format: Type.Optional(choice(fileFormats, "How they are written; absent: found out by extension and content.")),
    records: Type.Optional(filled("Path of the records in a JSON or XML file, such as `Orders.Order`.")),
    groupBy: Type.Optional(
      filled("Column of a CSV file whose equal values make one record; its rows are in `rows`. Only with `map`."),
    ),
    encoding: Type.Optional(
      choice(
        encodings,
        "Character encoding of CSV and JSON files that are neither UTF-8 nor have a byte order mark; absent: found out, and refused in doubt.",
      ),
    ),
    profiles: Type.Optional(
      Type.Array(fileProfileSchema, { description: "CSV files with headings or formats of their own.", default: [] }),
    ),
    where: Type.Optional(
      Type.Unsafe<Where | string>({
        anyOf: [whereSchema, { type: "string", pattern: "^=" }],
        description:
          "Which records are taken: conditions by column or path, as in a profile, or `= JSONata expression` over the " +
          "record that `map` reads.",
      }),
    ),
    map,
    done: Type.Optional(filled("Where files go that were taken in, below their folder.", { default: "done" })),
    error: Type.Optional(filled("Where files go that were not, each with its reasons.", { default: "error" })),
    everySeconds: seconds("How often the folder is looked at.", 10),
    settleSeconds: seconds("How long a file must not have changed before it is taken.", 5),
    marker: Type.Optional(
      filled(
        "Ending of an empty file that says that the file is complete, such as `.done`; then nothing is waited for.",
      ),
    ),
    badRecords: Type.Optional(
      badRecordsOption("refuse", { of: "the whole file", told: "it is listed by `crossdock quarantine`" }),
    ),
  },
  closed,
);
export type Incoming = Static<typeof incoming>;

const outgoing = Type.Object(
  {
    folder: Type.Optional(Type.String({ description: "Folder below `location`.", default: "" })),
    name: Type.Optional(
      filled(
        "Name of the file, with {entryId} in it, and {seq}, {topic}, {orderNumber}, {date}; " +
          "absent: `{seq}-{topic}-{orderNumber}-{entryId}` and the format's extension.",
      ),
    ),
    format: Type.Optional(choice(fileFormats, "How it is written.", "json")),
    map,
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: "Columns of a CSV file; absent: those of `map`." }),
    ),
    delimiter: Type.Optional(
      Type.String({ description: "Between the cells of a CSV file.", pattern: "^[\\t,;|]$", default: "," }),
    ),
    header: Type.Optional(Type.Boolean({ description: "Whether a CSV file begins with its columns.", default: true })),
    root: Type.Optional(filled("Name of the outermost element of an XML file.", { default: "event" })),
  },
  closed,
);
export type Outgoing = Static<typeof outgoing>;
const eventFile = (description: string) => Type.Optional(Type.Object(outgoing.properties, { ...closed, description }));

const images = Type.Object(
  {
    folder: Type.Optional(Type.String({ description: "Folder below `location`.", default: "" })),
    pattern: Type.Optional(
      filled("Name of the image of an item; several extensions as `{png|jpg}`.", {
        default: "{itemNumber}.{png|jpg|jpeg|webp|gif}",
        pattern: "\\{itemNumber\\}",
      }),
    ),
    url: Type.Optional(
      filled("Address of the image instead, with {itemNumber} in it.", { pattern: "\\{itemNumber\\}" }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({ description: "Whether the host of `url` may have a private, loopback or link-local address." }),
    ),
    proxy: proxyOption,
  },
  { ...closed, description: "Where item images are." },
);
export type ImageOptions = Static<typeof images>;

export const filesOptions = Type.Object(
  {
    location: Type.String({
      description:
        "The folder: a path of this machine, from the configuration's folder or absolute, or `sftp://host/path`.",
      minLength: 1,
      relativeTo: "configuration",
      unlessBeside: "sftp",
    }),
    sftp: Type.Optional(login),
    in: Type.Optional(Type.Array(incoming, { description: "Files that are taken in.", default: [] })),
    out: Type.Optional(
      Type.Object(
        {
          all: eventFile("Every event that has no entry of its own."),
          notices: eventFile("Receipts of pushed changes; absent: as `all`."),
          ...Object.fromEntries(eventIds.map((id) => [id, eventFile(operationRow(id).summary)])),
        },
        {
          ...closed,
          description: "Files that are written, by event.",
        },
      ),
    ),
    images: Type.Optional(images),
    language: Type.Optional(choice(languages, "Language of the reasons beside refused files.", "en")),
    maxMiB: Type.Optional(
      Type.Number({
        description: "Largest file that is read, in MiB.",
        default: 64,
        exclusiveMinimum: 0,
        maximum: 512,
      }),
    ),
  },
  closed,
);

export type FilesOptions = Omit<Static<typeof filesOptions>, "out"> & {
  // By key: the members are made from the table, and so have no names the compiler knows.
  readonly out?: { readonly [Key in EventId | "all" | "notices"]?: Outgoing };
};
