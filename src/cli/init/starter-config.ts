import { presets } from "../../presets/catalogue.ts";
import { presetAddress, presetStarter, presetVariables } from "./preset-starter.ts";

/** An ERP that drops files into a folder and reads files from one. */
const filesStarter = (folder: string) => `connectors:
  exchange:
    type: files
    location: ${JSON.stringify(folder)}
${isServer(folder) ? login : hint}
    in:                              # taken in, checked, and moved to done or error
      - topic: workOrders
        folder: orders
        pattern: "*.csv"
      - topic: items
        folder: items
        pattern: "*.csv"
    out:                             # one file per event
      all:
        folder: events
        format: json

events:
  to: exchange
`;

/** Subfolders that must exist. */
const filesFolders = ["orders", "items", "events"];

const isServer = (folder: string) => /^sftp:/i.test(folder);

/** Environment variables that must be set before the start. */
const filesVariables = (folder: string) => (isServer(folder) ? ["SFTP_PASSWORD", "SFTP_HOST_KEY"] : []);

const login = `    sftp:
      username: crossdock
      password: \${SFTP_PASSWORD}       # or privateKey: file:/etc/crossdock/sftp-key
      hostKey: \${SFTP_HOST_KEY}        # SHA256:…, as ssh-keygen -lf prints it on the server`;

const hint = `    # location: sftp://erp.example.com/exchange
    # sftp: { username: crossdock, privateKey: "file:/etc/crossdock/sftp-key", hostKey: "SHA256:…" }`;

export const starterKinds = ["embedded", "rest", "sql", "files"] as const;
export type StarterKind = (typeof starterKinds)[number];

export interface StarterAnswers {
  readonly kind: StarterKind;
  readonly preset?: string | undefined;
  readonly driver?: SqlDriver | undefined;
  /** Address, host, file or folder of the external system. */
  readonly address?: string | undefined;
  readonly timeZone: string;
}

/** The name of each kind in the prompt. */
export const starterTitles: Readonly<Record<StarterKind, string>> = {
  embedded: "nothing yet: orders are pushed to Crossdock or imported as files",
  rest: "an ERP with a web interface (REST, OData, JSON)",
  sql: "a database",
  files: "a folder or SFTP server with files",
};

export const starterPresets = presets.map(({ name, title }) => ({ name, title }));

export function defaultAddress({ kind, driver, preset }: Pick<StarterAnswers, "kind" | "driver" | "preset">): string {
  const known = presets.find(({ name }) => name === preset);
  if (known !== undefined) return presetAddress(known);
  if (kind === "rest") return "https://erp.example.com/api";
  if (kind === "files") return "./exchange";
  return driver === "sqlite" ? "./erp.db" : "erp.example.com";
}

/** Why the address cannot be used in a configuration; undefined if it can. */
export function wrongAddress(kind: StarterKind, address: string): string | undefined {
  if (address.trim() === "") return "write an address";
  if (kind === "rest" && !/^https?:\/\/[^/?#\s]+/i.test(address)) return "an address begins with http:// or https://";
  if (kind !== "files") return undefined;
  const isOther = /^[a-z][a-z0-9+.-]+:\/\//i.test(address) && !/^sftp:\/\/[^/@\s]+(\/|$)/i.test(address);
  return isOther ? "use a path on this machine, or sftp://host/folder" : undefined;
}

export function wrongTimeZone(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return undefined;
  } catch {
    return `there is no time zone ${JSON.stringify(timeZone)}; use a name such as Europe/Berlin`;
  }
}

export interface Starter {
  readonly text: string;
  /** Environment variables that must be set before the start. */
  readonly variables: readonly string[];
  /** Local folders that must exist. */
  readonly folders: readonly string[];
}

/** A commented first configuration, and what it needs. */
export function starterConfig(answers: StarterAnswers): Starter {
  const { kind, preset, driver = "postgres", timeZone } = answers;
  const address = answers.address ?? defaultAddress({ ...answers, driver });
  const known = preset === undefined ? undefined : presets.find(({ name }) => name === preset);
  const head = `# Crossdock. All settings: docs/reference/configuration.md. Check it with: crossdock check
timeZone: ${timeZone.padEnd(27)}# dates without offset are meant in this zone
# timeOfDay: "06:00"                 # given to dates without a time
# basePath: /adapter                 # where a proxy passes a path on

`;
  return {
    text: head + body(),
    variables: known !== undefined ? presetVariables(known) : kind === "files" ? filesVariables(address) : [],
    folders: kind === "files" && !/^sftp:/i.test(address) ? filesFolders.map((folder) => `${address}/${folder}`) : [],
  };

  function body(): string {
    if (known !== undefined) return presetStarter(known, address);
    switch (kind) {
      case "rest":
        return restStarter(address);
      case "sql":
        return sqlStarter(driver, address);
      case "files":
        return filesStarter(address);
      case "embedded":
        return embeddedStarter;
    }
  }
}

const embeddedStarter = `# containers:
#   pattern: ^TOTE-[0-9]{4}$         # codes that orders may be attached to
# exportColumns:
#   - { key: customer, header: Customer, value: externalData.customer.name }
# connectors:                        # later: crossdock init --kind rest, sql or files shows how
#   erp: { type: webhook, url: https://erp.example.com/events }
# events:
#   to: erp
`;

/** An ERP with a web API. */
const restStarter = (address: string) => `connectors:
  erp:
    type: http
    baseUrl: ${JSON.stringify(address)}
    # auth:
    #   kind: bearer                 # or basic, apiKey, oauth2, session
    #   token: \${ERP_TOKEN}          # from the environment; or file:/path/to/secret
    operations:
      listWorkOrders:
        path: /orders
        query: { status: open }
        records: data                # where the list stands in the answer
        # page: { by: page, param: page, size: 100, sizeParam: limit }
        map: &order                  # member of the contract: field of the ERP
          number: orderNumber
          dueDate: dueDate           # or { from: dueDate, date: dd.MM.yyyy }
          externalIdentifier: id
          requests:
            each: lines
            map:
              itemNumber: sku
              itemName: name
              requestedAmount: quantity   # add round: or unit: where it may be a fraction
              requestExternalIdentifier: id
      findWorkOrderByCode:
        path: /orders/{code}
        map: *order
      getItem:
        path: /items/{number}
        map:
          number: sku
          name: name
      confirmStep:                   # each picked step, under the same Idempotency-Key on every attempt
        path: /picks

serve:                               # who answers; what is not named here the embedded store does
  workOrders: erp
  codeLookup: erp
  items: erp

events:
  to: erp
  # by: { attachWorkOrder: none }  # single events elsewhere
`;

export const sqlDrivers = ["postgres", "mysql", "sqlserver", "sqlite"] as const;
export type SqlDriver = (typeof sqlDrivers)[number];

const connection = (driver: SqlDriver, address: string) =>
  driver === "sqlite"
    ? `    file: ${JSON.stringify(address)}`
    : `    host: ${JSON.stringify(address)}
    database: erp
    username: crossdock
    # password: \${ERP_PASSWORD}      # from the environment; or file:/path/to/secret
    # readUsername: crossdock_read       # queries run as a user that may only SELECT`;

/** An ERP whose tables are read and written. */
const sqlStarter = (driver: SqlDriver, address: string) => `connectors:
  erp:
    type: sql
    driver: ${driver}
${connection(driver, address)}
    operations:
      listWorkOrders:
        sql: >-
          SELECT o.order_no, o.due_date, l.line_no, l.item_no, l.quantity
          FROM orders o JOIN order_lines l ON l.order_no = o.order_no
          WHERE o.status = 'open' ORDER BY o.order_no, l.line_no
        fold: { by: order_no, lines: lines }   # the rows of one order become one order
        map: &order                  # member of the contract: column
          number: order_no
          dueDate: due_date
          requests:
            each: lines
            map:
              itemNumber: item_no
              requestedAmount: quantity        # add round: or unit: where it may be a fraction
              requestExternalIdentifier: line_no
      findWorkOrderByCode:
        sql: >-
          SELECT o.order_no, o.due_date, l.line_no, l.item_no, l.quantity
          FROM orders o JOIN order_lines l ON l.order_no = o.order_no
          WHERE o.order_no = :code ORDER BY l.line_no
        fold: { by: order_no, lines: lines }
        map: *order
      getItem:
        sql: SELECT item_no, name FROM items WHERE item_no = :number
        map: { number: item_no, name: name }
      confirmStep:                   # all statements of an event are one transaction, done once
        statements:
          - sql: INSERT INTO picks (order_no, picked_by) VALUES (:body.workOrderNumber, :body.userEmail)

serve:                               # who answers; what is not named here the embedded store does
  workOrders: erp
  codeLookup: erp
  items: erp

events:
  to: erp
`;
