import { presets } from "../../presets/catalogue.ts";
import { filesStarter } from "./files.ts";
import { presetStarter, presetVariables } from "./preset.ts";
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

export const defaultAddress = (kind: StarterKind, driver?: SqlDriver): string =>
  kind === "rest"
    ? "https://erp.example.com/api"
    : kind === "files"
      ? "./exchange"
      : driver === "sqlite"
        ? "./erp.db"
        : "erp.example.com";

/** A commented configuration to begin with, and the variables it needs. */
export function starterConfig(answers: StarterAnswers): { text: string; variables: readonly string[] } {
  const { kind, preset, driver = "postgres", timeZone } = answers;
  const address = answers.address ?? defaultAddress(kind, driver);
  const known = preset === undefined ? undefined : presets.find(({ name }) => name === preset);
  const head = `# Crossdock. All settings: docs/configuration.md. Check it with: crossdock check
timeZone: ${timeZone}                # dates without offset are meant in this zone
# timeOfDay: "06:00"                 # given to dates without a time
# basePath: /adapter                 # where a proxy passes a path on

`;
  return {
    text: head + body(),
    variables: known === undefined ? [] : presetVariables(known),
  };

  function body(): string {
    if (known !== undefined) return presetStarter(known, answers.address);
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
