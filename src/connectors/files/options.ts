import { type Static, Type } from "typebox";
import { type DerivedEventId, derivedMembers } from "../../contract/derived-events.ts";
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
    username: filled("User."),
    password: Type.Optional(filled("Password; a secret.")),
    privateKey: Type.Optional(filled("Private key (OpenSSH or PEM text), such as `file:/etc/crossdock/sftp-key`.")),
    passphrase: Type.Optional(filled("Passphrase of the private key; a secret.")),
    hostKey: filled("Fingerprint of the server's key, as `ssh-keygen -lf` prints it.", {
      pattern: "^SHA256:[A-Za-z0-9+/]{43}$",
    }),
    timeoutMs: Type.Optional(
      Type.Integer({ description: "Timeout of one request to the server.", default: 20_000, minimum: 100 }),
    ),
  },
  { ...closed, description: "Login for an SFTP server." },
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
      filled(
        "Column of a CSV file: rows with the same value become one record, with the rows in `rows`. Only with `map`.",
      ),
    ),
    encoding: Type.Optional(
      choice(
        encodings,
        "Character encoding of CSV and JSON files that are not UTF-8 and have no byte order mark; default: detected, and the file is refused if the encoding is unclear.",
      ),
    ),
    profiles: Type.Optional(
      Type.Array(fileProfileSchema, {
        description: "Rules for CSV files with their own headings or formats.",
        default: [],
      }),
    ),
    where: Type.Optional(
      Type.Unsafe<Where | string>({
        anyOf: [whereSchema, { type: "string", pattern: "^=" }],
        description:
          "Which records are imported: conditions by column or path, as in a profile, or `= JSONata expression` over the " +
          "record that `map` reads.",
      }),
    ),
    map,
    done: Type.Optional(filled("Subfolder for imported files.", { default: "done" })),
    error: Type.Optional(
      filled("Subfolder for refused files; the reasons are written beside each file.", { default: "error" }),
    ),
    everySeconds: seconds("How often the folder is read.", 10),
    settleSeconds: seconds("How long a file must be unchanged before it is imported.", 5),
    marker: Type.Optional(
      filled(
        "Extension of an empty marker file that means the file is complete, such as `.done`; then `settleSeconds` does not apply.",
      ),
    ),
    badRecords: Type.Optional(
      badRecordsOption("refuse", { of: "the whole file", shown: "it is listed by `crossdock quarantine`" }),
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
        "Name of the file. It must contain {entryId} and may contain {seq}, {topic}, {orderNumber} and {date}; " +
          "default: `{seq}-{topic}-{orderNumber}-{entryId}` and the format's extension.",
      ),
    ),
    format: Type.Optional(choice(fileFormats, "Format of the file.", "json")),
    map,
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: "Columns of a CSV file; default: those of `map`." }),
    ),
    delimiter: Type.Optional(
      Type.String({ description: "Separator of a CSV file.", pattern: "^[\\t,;|]$", default: "," }),
    ),
    header: Type.Optional(Type.Boolean({ description: "Whether a CSV file starts with a header row.", default: true })),
    root: Type.Optional(filled("Name of the root element of an XML file.", { default: "event" })),
  },
  closed,
);
export type Outgoing = Static<typeof outgoing>;
const eventFile = (description: string) => Type.Optional(Type.Object(outgoing.properties, { ...closed, description }));

const images = Type.Object(
  {
    folder: Type.Optional(Type.String({ description: "Folder below `location`.", default: "" })),
    pattern: Type.Optional(
      filled("File name of an item's image; several extensions as `{png|jpg}`.", {
        default: "{itemNumber}.{png|jpg|jpeg|webp|gif}",
        pattern: "\\{itemNumber\\}",
      }),
    ),
    url: Type.Optional(
      filled("URL of the image instead; it must contain {itemNumber}.", { pattern: "\\{itemNumber\\}" }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({
        description: "Whether the host of `url` may resolve to a private, loopback or link-local address.",
      }),
    ),
    proxy: proxyOption,
  },
  { ...closed, description: "Where item images are read from." },
);
export type ImageOptions = Static<typeof images>;

export const filesOptions = Type.Object(
  {
    location: Type.String({
      description:
        "The folder: a local path, absolute or relative to the configuration's folder, or `sftp://host/path`.",
      minLength: 1,
      relativeTo: "configuration",
      unlessSibling: "sftp",
    }),
    sftp: Type.Optional(login),
    in: Type.Optional(Type.Array(incoming, { description: "Files that are imported.", default: [] })),
    out: Type.Optional(
      Type.Object(
        {
          all: eventFile("Every event of the platform that is not listed by its own name."),
          notices: eventFile("Receipts of pushed changes; default: as `all`."),
          ...Object.fromEntries(eventIds.map((id) => [id, eventFile(operationRow(id).summary)])),
          ...derivedMembers(eventFile),
        },
        {
          ...closed,
          description: "Files that are written, one rule per event.",
        },
      ),
    ),
    images: Type.Optional(images),
    language: Type.Optional(choice(languages, "Language of the reasons written beside refused files.", "en")),
    maxMiB: Type.Optional(
      Type.Number({
        description: "Size limit of a file, in MiB; larger files are refused.",
        default: 64,
        exclusiveMinimum: 0,
        maximum: 512,
      }),
    ),
  },
  closed,
);

export type FilesOptions = Omit<Static<typeof filesOptions>, "out"> & {
  // Read by key: the members are generated from the table, so the compiler does not know their names.
  readonly out?: { readonly [Key in EventId | DerivedEventId | "all" | "notices"]?: Outgoing };
};
