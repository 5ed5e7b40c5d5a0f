import { configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape } from "./config-shape.ts";

/** A configuration with something in every section; a test opens it. */
export const exampleConfig = `# yaml-language-server: $schema=./docs/crossdock.schema.json
timeZone: Europe/Berlin
timeOfDay: "06:00"
orders:
  invalid: quarantine
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
  ["`PORT`", "Port to listen on; 0 takes a free one.", "`8080`"],
  ["`HOST`", "Address to listen on; `0.0.0.0` for all networks.", "`127.0.0.1`"],
  ["`CROSSDOCK_CONFIG`", "The configuration file.", "`crossdock.yaml` in the working directory, if present"],
  ["`CROSSDOCK_DATA_DIR`", "Folder of the database and the key.", "`data`"],
  [
    "`CROSSDOCK_API_KEY`",
    "Key for pushes and administration.",
    "made on the first start, kept in the data folder, printed once",
  ],
  [
    "`CROSSDOCK_SAMPLE`",
    "`true` loads a small sample warehouse on the first start, `false` starts empty.",
    "`true` without a configuration file, else `false`",
  ],
];

/** The JSON Schema for editors. Members with a default need not be written. */
export function configJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Crossdock configuration",
    ...editorShape(configShape(configSchema)),
  };
}

function editorShape(shape: ConfigShape): ConfigShape {
  if (shape.items !== undefined) return { ...shape, items: editorShape(shape.items) };
  if (shape.properties === undefined) return { ...shape };
  const { properties, required = [], ...rest } = shape;
  const needed = required.filter((name) => properties[name]?.default === undefined);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, editorShape(member)])),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** docs/configuration.md. */
export function configReference(): string {
  return `# Configuration

Crossdock runs without any configuration. What it is to do otherwise stands in \`crossdock.yaml\` in the working
directory, or in the file named by \`CROSSDOCK_CONFIG\`; where it runs stands in the environment. Every mistake is
reported at the start, all at once, with line and column; an unknown setting is a mistake.

Editors complete and check the file with \`docs/crossdock.schema.json\`.

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
`;
}

function rows(shape: ConfigShape, prefix = ""): string[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const setting = `${prefix}${name}`;
    const row = `| \`${setting}\` | ${cell(member.description)} | ${values(member)} | ${fallback(shape, name)} |`;
    if (member.properties !== undefined) return [row, ...rows(member, `${setting}.`)];
    return member.items?.properties === undefined ? [row] : [row, ...rows(member.items, `${setting}[].`)];
  });
}

function values({ type, enum: names, minimum, maximum }: ConfigShape): string {
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
