import { nearestName } from "../../kit/nearest-name.ts";
import { shortestKey } from "../../server/auth/admin-access.ts";
import { type ConfigPath, didYouMean, type Objection } from "../document/config-error.ts";
import { checkInbound } from "./check-inbound.ts";
import { checkProcess } from "./check-process.ts";
import { checkReferences } from "./check-references.ts";

/**
 * Checks what a schema cannot express: time zones that exist, expressions that compile, unique names. Accepts any value
 * and checks only members of the right type, so that one error does not hide others.
 */
export async function checkConfig(value: unknown): Promise<Objection[]> {
  const columns = listAt(memberOf(value, "exportColumns"));
  return [
    ...checkTimeZone(memberOf(value, "timeZone")),
    ...(await checkProfiles(listAt(memberOf(memberOf(value, "files"), "profiles")))),
    ...checkKeys(columns),
    ...repeated(columns.map((column, index) => nameAt(column, "key", ["exportColumns", index]))),
    ...(await checkExpressions(columns)),
    ...(await checkPattern(memberOf(memberOf(value, "containers"), "pattern"))),
    ...checkReferences(value),
    ...checkUsers(membersAt(memberOf(memberOf(value, "console"), "users"))),
    ...checkInbound(value),
    ...checkProcess(value),
  ];
}

/** Undefined if the member is missing or the owner is not an object. */
const memberOf = (owner: unknown, name: string): unknown =>
  // Any object can be read by name; the value found is unknown again.
  typeof owner === "object" && owner !== null ? (owner as Record<string, unknown>)[name] : undefined;

const membersAt = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const listAt = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const nameAt = (owner: unknown, member: string, path: ConfigPath) => ({
  name: memberOf(owner, member),
  path: [...path, member],
});

/** Two people with the same key would act under one name, and a short key can be guessed. */
function checkUsers(users: readonly [string, unknown][]): Objection[] {
  const keys = users.map(([, user]) => memberOf(user, "apiKey"));
  return users.flatMap(([name], index): Objection[] => {
    const key = keys[index];
    const isReference = typeof key === "string" && /^file:|\$\{/.test(key);
    if (typeof key === "string" && !isReference && key.length < shortestKey) {
      const text = `the key has less than ${shortestKey} characters`;
      return [{ path: ["console", "users", name, "apiKey"], text, hint: "Use a long random key." }];
    }
    const other = users[keys.indexOf(keys[index])]?.[0];
    if (typeof keys[index] !== "string" || other === name) return [];
    const hint = "Give each person a key of their own.";
    return [{ path: ["console", "users", name, "apiKey"], text: `${other} has the same key`, hint }];
  });
}

/** Zones that were found. Looking one up takes a millisecond, and a process may load hundreds of configurations. */
const foundZones = new Set<string>();

function checkTimeZone(timeZone: unknown): Objection[] {
  if (typeof timeZone !== "string" || foundZones.has(timeZone)) return [];
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    foundZones.add(timeZone);
    return [];
  } catch {
    const city = timeZone.split("/").at(-1)?.trim().toLowerCase() ?? "";
    const near = zoneOfCity[city] ?? nearestName(timeZone, Intl.supportedValuesOf("timeZone"));
    const hint = `Use an IANA name such as ${near ?? "Europe/Berlin"}.`;
    return [{ path: ["timeZone"], text: `there is no time zone named ${JSON.stringify(timeZone)}`, hint }];
  }
}

async function checkProfiles(profiles: readonly unknown[]): Promise<Objection[]> {
  if (profiles.length === 0) return [];
  const [{ orderFields }, { itemFields }] = await Promise.all([
    import("../../formats/fields/order-fields.ts"),
    import("../../formats/fields/item-fields.ts"),
  ]);
  const members = [...new Set([...orderFields, ...itemFields].map(({ name }) => name))];
  const profileObjections = profiles.flatMap((profile, index): Objection[] => {
    const path = ["files", "profiles", index] as const;
    const columns = membersAt(memberOf(profile, "columns"));
    if (listAt(memberOf(profile, "header")).length === 0 && columns.length === 0) {
      const hint = "Name the headings under `columns` (heading: member) or `header`.";
      return [{ path, text: "this profile matches no file", hint }];
    }
    return columns.flatMap(([heading, member]): Objection[] => {
      if (typeof member !== "string") return [];
      if (members.some((name) => name.toLowerCase() === member.toLowerCase())) return [];
      const text = `the contract has no member named ${JSON.stringify(member)}`;
      const hint = `${didYouMean(nearestName(member, members))}Members: ${members.join(", ")}.`;
      return [{ path: [...path, "columns", heading], text, hint }];
    });
  });
  return [
    ...profileObjections,
    ...repeated(profiles.map((profile, index) => nameAt(profile, "name", ["files", "profiles", index]))),
  ];
}

function repeated(names: readonly { name: unknown; path: ConfigPath }[]): Objection[] {
  const seen = new Set<unknown>();
  return names.flatMap(({ name, path }) => {
    if (typeof name !== "string" || !seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path, text: `${JSON.stringify(name)} is used twice`, hint: "Give each its own name." }];
  });
}

/** The export answers with objects, in which `__proto__` cannot be set as a member. */
const checkKeys = (columns: readonly unknown[]): Objection[] =>
  columns.flatMap((column, index) =>
    memberOf(column, "key") === "__proto__"
      ? [
          {
            path: ["exportColumns", index, "key"],
            text: "no column can be named __proto__",
            hint: "Choose another key.",
          },
        ]
      : [],
  );

/** Expressions are compiled by the same code that evaluates them, so that nothing fails later at the start. */
async function checkExpressions(columns: readonly unknown[]): Promise<Objection[]> {
  if (columns.length === 0) return [];
  const [{ plainPath }, { expression }, { unknownMembers }] = await Promise.all([
    import("../../store/export/plain-path.ts"),
    import("../../store/export/column-expression.ts"),
    import("../../store/export/unknown-members.ts"),
  ]);
  const objections: Objection[] = [];
  for (const [index, column] of columns.entries()) {
    const value = memberOf(column, "value");
    if (typeof value !== "string") continue;
    try {
      if (plainPath(value) === null) await expression("", value);
      for (const text of unknownMembers(value)) {
        const hint =
          "A member that your orders have beside those of the contract is written in backquotes: order.`name`.";
        objections.push({ path: ["exportColumns", index, "value"], text, hint });
      }
    } catch (error) {
      objections.push({
        path: ["exportColumns", index, "value"],
        text: `the expression cannot be used: ${messageOf(memberOf(error, "cause") ?? error)}`,
        hint: "Write a path such as externalData.customer.name, or a JSONata expression.",
      });
    }
  }
  return objections;
}

async function checkPattern(pattern: unknown): Promise<Objection[]> {
  if (typeof pattern !== "string") return [];
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

/** These libraries also throw plain objects with a message. */
const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);

/** Cities that people look for but that have no time zone of their own name. */
const zoneOfCity: Readonly<Record<string, string>> = {
  wien: "Europe/Vienna",
  vienne: "Europe/Vienna",
  münchen: "Europe/Berlin",
  munich: "Europe/Berlin",
  hamburg: "Europe/Berlin",
  frankfurt: "Europe/Berlin",
  köln: "Europe/Berlin",
  bern: "Europe/Zurich",
  basel: "Europe/Zurich",
  genf: "Europe/Zurich",
  geneva: "Europe/Zurich",
  genève: "Europe/Zurich",
  zürich: "Europe/Zurich",
  rom: "Europe/Rome",
  roma: "Europe/Rome",
  mailand: "Europe/Rome",
  milano: "Europe/Rome",
  milan: "Europe/Rome",
  prag: "Europe/Prague",
  praha: "Europe/Prague",
  warschau: "Europe/Warsaw",
  warszawa: "Europe/Warsaw",
  varsovie: "Europe/Warsaw",
  lissabon: "Europe/Lisbon",
  lisboa: "Europe/Lisbon",
  brüssel: "Europe/Brussels",
  bruxelles: "Europe/Brussels",
  brussel: "Europe/Brussels",
  kopenhagen: "Europe/Copenhagen",
  københavn: "Europe/Copenhagen",
  athen: "Europe/Athens",
  bukarest: "Europe/Bucharest",
  belgrad: "Europe/Belgrade",
  moskau: "Europe/Moscow",
  luxemburg: "Europe/Luxembourg",
  lyon: "Europe/Paris",
  barcelona: "Europe/Madrid",
  rotterdam: "Europe/Amsterdam",
};
