import type { ConfigPath } from "./config-error.ts";
import type { Config } from "./config-schema.ts";
import { nearestName } from "./nearest-name.ts";

export interface Objection {
  readonly path: ConfigPath;
  readonly text: string;
  readonly hint?: string;
}

/** What a schema cannot say: zones that exist, expressions that compile, names that are not used twice. */
export async function checkConfig(config: Config): Promise<Objection[]> {
  return [
    ...checkTimeZone(config.timeZone),
    ...(await checkProfiles(config.files.profiles)),
    ...repeated(config.exportColumns.map(({ key }, index) => ({ name: key, path: ["exportColumns", index, "key"] }))),
    ...(await checkExpressions(config.exportColumns)),
    ...(await checkPattern(config.containers.pattern)),
    // Loaded only where there are any: the catalogue brings every connector's options along.
    ...(config.events.to === undefined && Object.keys(config.connectors).length === 0
      ? []
      : (await import("./check-connectors.ts")).checkConnectors(config)),
  ];
}

function checkTimeZone(timeZone: string): Objection[] {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return [];
  } catch {
    const near = nearestName(timeZone, Intl.supportedValuesOf("timeZone"));
    const hint = `Use an IANA name such as ${near ?? "Europe/Berlin"}.`;
    return [{ path: ["timeZone"], text: `there is no time zone named ${JSON.stringify(timeZone)}`, hint }];
  }
}

async function checkProfiles(profiles: Config["files"]["profiles"]): Promise<Objection[]> {
  if (profiles.length === 0) return [];
  const [{ orderFields }, { itemFields }] = await Promise.all([
    import("../sdk/records/order-fields.ts"),
    import("../sdk/records/item-fields.ts"),
  ]);
  const members = [...new Set([...orderFields, ...itemFields].map(({ name }) => name))];
  const strangers = profiles.flatMap(({ header = [], columns = {} }, index): Objection[] => {
    const path = ["files", "profiles", index] as const;
    if (header.length === 0 && Object.keys(columns).length === 0) {
      const hint = "Name the headings under `columns` (heading: member) or `header`.";
      return [{ path, text: "no file can be recognised by this profile", hint }];
    }
    return Object.entries(columns)
      .filter(([, member]) => !members.some((name) => name.toLowerCase() === member.toLowerCase()))
      .map(([heading, member]) => ({
        path: [...path, "columns", heading],
        text: `the contract has no member named ${JSON.stringify(member)}`,
        hint: `${didYouMean(nearestName(member, members))}Members: ${members.join(", ")}.`,
      }));
  });
  const names = profiles.map(({ name }, index) => ({ name, path: ["files", "profiles", index, "name"] }));
  return [...strangers, ...repeated(names)];
}

export const didYouMean = (name: string | undefined): string => (name === undefined ? "" : `Did you mean ${name}? `);

function repeated(names: readonly { name: string; path: ConfigPath }[]): Objection[] {
  const seen = new Set<string>();
  return names.flatMap(({ name, path }) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path, text: `${JSON.stringify(name)} is used twice`, hint: "Give each its own name." }];
  });
}

async function checkExpressions(columns: Config["exportColumns"]): Promise<Objection[]> {
  if (columns.length === 0) return [];
  const { default: jsonata } = await import("jsonata");
  return columns.flatMap(({ value }, index): Objection[] => {
    try {
      jsonata(value);
      return [];
    } catch (error) {
      return [
        {
          path: ["exportColumns", index, "value"],
          text: `the expression cannot be read: ${messageOf(error)}`,
          hint: "Write a path such as externalData.customer.name, or a JSONata expression.",
        },
      ];
    }
  });
}

async function checkPattern(pattern: string | undefined): Promise<Objection[]> {
  if (pattern === undefined) return [];
  const { RE2JS } = await import("re2js");
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    return [
      {
        path: ["containers", "pattern"],
        text: `the regular expression cannot be read: ${messageOf(error)}`,
        hint: "RE2 syntax: no look-ahead, look-behind or back references. Example: ^TOTE-[0-9]{4}$",
      },
    ];
  }
}

/** The libraries throw plain objects with a message too. */
const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
