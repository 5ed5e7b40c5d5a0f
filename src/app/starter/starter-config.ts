import { presets } from "../../presets/catalogue.ts";
import { filesFolders, filesStarter, filesVariables } from "./files.ts";
import { presetAddress, presetStarter, presetVariables } from "./preset.ts";
import { restStarter } from "./rest.ts";
import { type SqlDriver, sqlStarter } from "./sql.ts";

export const starterKinds = ["embedded", "rest", "sql", "files"] as const;
export type StarterKind = (typeof starterKinds)[number];
export { type SqlDriver, sqlDrivers } from "./sql.ts";

export interface StarterAnswers {
  readonly kind: StarterKind;
  readonly preset?: string | undefined;
  readonly driver?: SqlDriver | undefined;
  /** Where the external system is: address, host, file or folder. */
  readonly address?: string | undefined;
  readonly timeZone: string;
}

/** What each kind is called when a person is asked. */
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

/** What cannot stand in a configuration, with what can; undefined where it can. */
export function wrongAddress(kind: StarterKind, address: string): string | undefined {
  if (address.trim() === "") return "write an address";
  if (kind === "rest" && !/^https?:\/\/[^/?#\s]+/i.test(address)) return "an address begins with http:// or https://";
  if (kind !== "files") return undefined;
  const isOther = /^[a-z][a-z0-9+.-]+:\/\//i.test(address) && !/^sftp:\/\/[^/@\s]+(\/|$)/i.test(address);
  return isOther ? "a folder is a path of this machine, or sftp://host/folder" : undefined;
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
  /** Variables that have to be set before the start. */
  readonly variables: readonly string[];
  /** Folders that have to be there, where they are folders of this machine. */
  readonly folders: readonly string[];
}

/** A commented configuration to begin with, and what it needs. */
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
