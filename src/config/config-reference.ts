import { pushTopics } from "../contract/pushes.ts";
import {
  acceptedKindNames,
  acceptedKinds,
  authPlaces,
  sentKindNames,
  sentKinds,
} from "../http-client/auth/auth-kinds.ts";
import { senderMembers } from "../server/auth/sender-options.ts";
import { configurable } from "./config-json-schema.ts";
import { configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape } from "./document/config-shape.ts";
import { forwardLimits, forwardTopic, limitsName } from "./sections/forward-options.ts";
import { oldSettingRows } from "./upgrade/old-settings.ts";

/** A configuration with something in every section; a test opens it. */
export const exampleConfig = `# yaml-language-server: $schema=./docs/reference/crossdock.schema.json
timeZone: Europe/Berlin
timeOfDay: "06:00"
orders:
  badRecords: quarantine
  expireAfterDays: 14
containers:
  pattern: ^TOTE-[0-9]{4}$
files:
  profiles:
    - name: Order list of the ERP
      columns:
        Beleg: number
        Termin: dueDate
        Artikel: itemNumber
        Menge: requestedAmount
      dateOrder: dmy
exportColumns:
  - key: customer
    header: Customer
    value: externalData.customer.name
  - key: city
    header: City
    value: $uppercase(deliveryAddress.city)
indexableValueLabel: Cost centre
`;

const environment: readonly (readonly [name: string, meaning: string, fallback: string])[] = [
  ["`PORT`", "Port to listen on; 0 chooses a free one.", "`8080`"],
  ["`HOST`", "Address to listen on; `0.0.0.0` for all networks.", "`127.0.0.1`"],
  ["`CROSSDOCK_CONFIG`", "The configuration file.", "`crossdock.yaml` in the working directory, if present"],
  ["`CROSSDOCK_DATA_DIR`", "Folder of the database and the key.", "`data`"],
  [
    "`CROSSDOCK_API_KEY`",
    "Key for pushes and administration.",
    "generated on the first start, stored in the data folder, printed once",
  ],
  ["`CROSSDOCK_API_KEY_FILE`", "A file with that key, such as a secret of Docker or Kubernetes.", "none"],
  [
    "`CROSSDOCK_SAMPLE`",
    "`true` loads a small sample warehouse on the first start, `false` starts empty.",
    "`true` without a configuration file, else `false`",
  ],
  [
    "`CROSSDOCK_STORE`",
    "Address of a PostgreSQL that stores every event, see [two machines](../how-to/two-machines.md).",
    "`store` of the configuration file; else the data folder",
  ],
  ["`CROSSDOCK_STORE_FILE`", "A file with that address, because it has a password in it.", "none"],
  [
    "`CROSSDOCK_SECRET_PROGRAMS`",
    "Full paths of the programs that `exec:` may run, with commas between them, see [secrets](../how-to/secrets.md).",
    "none: nothing is run",
  ],
  [
    "`CROSSDOCK_ADVERTISE`",
    "With a PostgreSQL: the host name or address, and the port if it differs, at which the other processes reach this one.",
    "`HOST`; the name of the machine if that is `0.0.0.0` or `::`",
  ],
];

/** Text of docs/reference/configuration.md. */
export function configReference(): string {
  return `# Configuration

Crossdock runs without any configuration. To change its behaviour, write a \`crossdock.yaml\` in the working directory,
or name another file in \`CROSSDOCK_CONFIG\`. Environment variables say where it runs. The start reports all errors
at once, with line and column; an unknown setting is an error.

Editors complete and check the file with \`docs/reference/crossdock.schema.json\`.

## Example

\`\`\`yaml
${exampleConfig}\`\`\`

## Environment

| Variable | Meaning | Default |
|---|---|---|
${environment.map((row) => `| ${row.join(" | ")} |`).join("\n")}

## Settings

| Setting | Meaning | Values | Default |
|---|---|---|---|
${rows(configShape(configSchema)).join("\n")}

## Senders

Each entry under \`senders\` has:

| Member | Meaning | Values | Default |
|---|---|---|---|
${rows(configShape(senderMembers)).join("\n")}

\`auth\` is described [below](#authentication). See [senders.md](../how-to/senders.md).

## Authentication

\`auth\` has the same form everywhere: \`kind\`, and beside it the members of that kind. What the adapter sends has one value each; what it
accepts is a list, so that a new key or password can take over from an old one.

| Where | Kinds |
|---|---|
${Object.entries(authPlaces)
  .map(([place, kinds]) => `| \`${place}\` | ${kinds.map((kind) => `\`${kind}\``).join(", ")} |`)
  .join("\n")}

A client certificate that the adapter shows goes with any of these kinds and is written under \`tls\` (\`cert\`, \`key\`).

| Sent by the adapter | Meaning | Values | Default |
|---|---|---|---|
${sentKindNames.flatMap((kind) => kindRows(kind, configShape(sentKinds[kind]))).join("\n")}

| Accepted by the adapter | Meaning | Values | Default |
|---|---|---|---|
| \`kind: none\` | Nobody has to prove who they are; only for the platform, and as if \`auth\` were absent. | | |
${acceptedKindNames.flatMap((kind) => kindRows(kind, configShape(acceptedKinds[kind]))).join("\n")}

## Forwarding

Each topic under \`platform.forward\` (${pushTopics.map((topic) => `\`${topic}\``).join(", ")}) has these members, and \`limits\`
beside the topics has its own. See [forward-to-the-platform.md](../how-to/forward-to-the-platform.md).

| Member | Meaning | Values | Default |
|---|---|---|---|
${rows(configShape(forwardTopic)).join("\n")}
${rows(configShape(forwardLimits), `${limitsName}.`).join("\n")}

## Secrets

Every text in a connector's options, in \`senders\`, in \`platform.auth\`, in \`platform.forward\` and in \`alarms\`, and \`store\`, can contain \`\${NAME}\`, an environment variable, or be \`file:\` and the path of a file that
contains the value. Write \`$\${\` for a literal \`\${\`. Values are filled in when the configuration is loaded, and are never printed or logged. One exception:
a variable that holds only an address, without user, query and fragment, is shown, so that a log says where a request went: that of a \`baseUrl\` with its path, any other only if it has no path.

## Reload

\`kill -HUP\` makes a running adapter reload its configuration. The new configuration takes effect as a whole, without dropping a
request: calls in flight end on the connectors they began on, and connectors with unchanged options stay open. A configuration
with an error is refused as a whole, every error is logged, and the old one stays in effect. Changes of \`basePath\`,
\`bodyLimitMiB\` and environment variables, and switching \`platform.tls\` on or off, need a restart; the log says so.

## Bad records

Wherever records come in, \`badRecords\` decides what a bad one does to the good ones beside it: \`quarantine\` holds back only the bad one,
\`refuse\` refuses everything that came with it.

| Where | Default | \`quarantine\`: the bad one | \`refuse\` |
|---|---|---|---|
| \`orders\`: lists that the platform asks an external system for | \`quarantine\` | is listed by \`crossdock quarantine\` | the platform gets no list |
| \`files\`: files that the platform uploads | \`refuse\` | is told to whoever uploads the file | the file is refused |
| \`inbound[]\`: pushes | \`refuse\` | is named in the answer's \`results\` | nothing of the push is stored |
| \`connectors.NAME.in[]\` (type \`files\`) | \`refuse\` | is listed by \`crossdock quarantine\` | the file goes to \`error\` |
| \`connectors.NAME.poll[]\` (types \`http\`, \`sql\`) | \`quarantine\` | is listed by \`crossdock quarantine\` | the poll fails and asks again, so that nothing newer comes in until it is mended |

## Old spellings

These are refused at their line, with the new spelling. \`crossdock config upgrade\` rewrites a file: comments, order and blanks stay, the old file is
kept beside it as \`FILE.bak\`, and \`--dry-run\` only shows the lines. It ends with exit code 1 where something has to be rewritten by hand, which it
names with its line; with \`--dry-run\` also where there is anything to rewrite.

| Old | New |
|---|---|
${oldSettingRows().join("\n")}

## Connectors

Each entry under \`connectors\` has a \`type\` and the options of that type.
${configurable.map(connectorSection).join("")}`;
}

function kindRows(kind: string, shape: ConfigShape): string[] {
  return [`| \`kind: ${kind}\` | ${cell(shape.description)} | | |`, ...rows(shape, `${kind}: `)];
}

function connectorSection({ type, summary, options }: (typeof configurable)[number]): string {
  return `
### ${type}

${summary}

| Option | Meaning | Values | Default |
|---|---|---|---|
${rows(configShape(options)).join("\n")}
`;
}

function rows(shape: ConfigShape, prefix = ""): string[] {
  const seen = new Map<string, string>();
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const setting = `${prefix}${name}`;
    const row = `| \`${setting}\` | ${cell(member.description)} | ${values(member)} | ${fallback(shape, name)} |`;
    // Authentication has a table of its own.
    if (name === "auth") return [row.replace(/\| section \|/, "| [one form](#authentication) |")];
    // Twenty operations have the same members, so they are described once.
    const inner = JSON.stringify(member.properties ?? member.items?.properties ?? name);
    const earlier = seen.get(inner);
    if (earlier !== undefined) return [row.replace(/\| section \|/, `| as \`${earlier}\` |`)];
    seen.set(inner, setting);
    if (member.properties !== undefined) return [row, ...rows(member, `${setting}.`)];
    return member.items?.properties === undefined ? [row] : [row, ...rows(member.items, `${setting}[].`)];
  });
}

function values({ type: given, enum: names, minimum, maximum }: ConfigShape): string {
  const type = typeof given === "string" ? given : given?.join(" or ");
  if (names !== undefined) return names.map((name) => `\`${cell(name === "\t" ? "\\t" : name)}\``).join(", ");
  if (minimum !== undefined) return `${type} from ${minimum}${maximum === undefined ? "" : ` to ${maximum}`}`;
  return type === "object" ? "section" : type === "array" ? "list" : (type ?? "");
}

function fallback(owner: ConfigShape, name: string): string {
  const member = owner.properties?.[name];
  if (member?.default === undefined) return owner.required?.includes(name) ? "required" : "none";
  if (member.type === "object") return "";
  return `\`${JSON.stringify(member.default)}\``;
}

const cell = (text = "") => text.replaceAll("|", "\\|");
