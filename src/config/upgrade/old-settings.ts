import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { ConfigPath } from "../document/config-error.ts";

/**
 * Every spelling of the configuration file that is no longer accepted, and its new name. The texts that refuse an old
 * file, `crossdock config upgrade` and the page of the reference follow from this table.
 *
 * Applied in this order, deeper members first, because all paths are those of the old file.
 */
export interface OldSetting {
  /** Path in the old file; `*` stands for any name, `[]` for every element of a list. */
  readonly at: string;
  /** Applies only to connectors of this type. */
  readonly type?: string;
  /** The new name of the last member. */
  readonly to?: string;
  /** New values for old ones. Without `to` only these values are old. */
  readonly values?: Readonly<Record<string, string>>;
  /** The members move up into the surrounding section. A text is the `kind` that is written there instead. */
  readonly lift?: string | true;
}

/** Places where the adapter authenticates at an external system. */
const sent = [{ at: "connectors.*.auth", type: "http" }, { at: "platform.forward.*.request.auth" }] as const;
/** Places where somebody authenticates at the adapter. */
const accepted = ["senders.*.auth", "platform.auth"];

const below = (member: string, change: Omit<OldSetting, "at">): OldSetting[] =>
  sent.map((place) => ({ ...place, at: `${place.at}.${member}`, ...change }));

export const oldSettings: readonly OldSetting[] = [
  { at: "orders.invalid", to: "badRecords" },
  { at: "files.partial", to: "badRecords", values: { true: "quarantine", false: "refuse" } },
  { at: "inbound[].onBad", to: "badRecords", values: { partial: "quarantine" } },
  { at: "connectors.*.in[].onBad", type: "files", to: "badRecords" },
  { at: "connectors.*.at", type: "files", to: "location" },
  { at: "connectors.*.operations.*.page.at", type: "http", to: "path" },
  { at: "connectors.*.poll[].page.at", type: "http", to: "path" },
  { at: "connectors.*.poll[].since.at", type: "http", to: "path" },
  { at: "alarms.expiries[].at", to: "lastDay" },
  { at: "alarms.email.user", to: "username" },
  { at: "connectors.*.user", type: "sql", to: "username" },
  { at: "connectors.*.readUser", type: "sql", to: "readUsername" },
  { at: "connectors.*.sftp.user", type: "files", to: "username" },
  { at: "events.by.*", values: { nobody: "none" } },
  ...below("apiKey.value", { to: "key" }),
  ...below("session.path", { to: "loginPath" }),
  ...below("session.token.at", { to: "tokenPath" }),
  ...below("session.token", { lift: true }),
  ...["basic", "bearer", "apiKey", "oauth2", "session"].flatMap((kind) => below(kind, { lift: kind })),
  ...accepted.map((at) => ({ at: `${at}.kind`, values: { key: "apiKey", certificate: "mtls" } })),
  ...accepted.map((at) => ({ at: `${at}.users[].user`, to: "username" })),
];

/** The new spelling of a member, as a person writes it. Only values from the table are shown: others may be secrets. */
export function newSpelling({ to, values = {}, lift }: OldSetting, name: string, value?: string): string {
  if (lift === true) return `the members of ${name} one level higher`;
  if (lift !== undefined) return `auth: { kind: ${lift}, … }`;
  const written = value !== undefined && Object.hasOwn(values, value) ? values[value] : "…";
  return `${to ?? name}: ${written}`;
}

/** The rows of the reference page that lists old spellings. */
export const oldSettingRows = (): string[] =>
  oldSettings.map((one) => {
    const { at, type, to, values = {}, lift } = one;
    const last = at.split(".").at(-1) ?? at;
    const place = `\`${at}\`${type === undefined ? "" : ` (type \`${type}\`)`}`;
    const changes = Object.entries(values).map(([old, now]) => `\`${old}\` → \`${now}\``);
    const name = to === undefined ? [] : [`\`${to}\``];
    const moved =
      lift === undefined ? name : [lift === true ? newSpelling(one, last) : `\`${newSpelling(one, last)}\``];
    return `| ${place} | ${[...moved, ...changes].join("; ")} |`;
  });

/** An old spelling that was found in a file. */
export interface FoundSetting {
  readonly setting: OldSetting;
  readonly path: ConfigPath;
  readonly key: Scalar;
  readonly pair: Pair;
  readonly owner: YAMLMap;
}

/**
 * The places of an old spelling in a document. Each is listed once, even if `*name` or `<<` refers to it several times.
 */
export function findOldSetting(document: Document, setting: OldSetting): FoundSetting[] {
  const steps = setting.at.replaceAll("[]", ".[]").split(".");
  const found = new Map<Pair, FoundSetting>();
  const visit = (node: unknown, index: number, path: ConfigPath): void => {
    const target = resolved(document, node);
    const step = steps[index] ?? "";
    if (isSeq(target) && step === "[]") {
      for (const [position, item] of target.items.entries()) visit(item, index + 1, [...path, position]);
    }
    if (!isMap(target)) return;
    for (const { pair, owner, key } of pairsOf(document, target)) {
      const name = String(key.value);
      if (step !== "*" && step !== name) continue;
      const here = [...path, name];
      const isConnector = setting.type !== undefined && here.length === 2 && here[0] === "connectors";
      if (isConnector && typeOf(document, pair.value) !== setting.type) continue;
      if (index < steps.length - 1) visit(pair.value, index + 1, here);
      else if (isOld(document, setting, pair)) found.set(pair, { setting, path: here, key, pair, owner });
    }
  };
  visit(document.contents, 0, []);
  return [...found.values()];
}

export const findOldSettings = (document: Document): FoundSetting[] =>
  oldSettings.flatMap((setting) => findOldSetting(document, setting));

/** Without a new name only some values are old. */
function isOld(document: Document, { to, values = {}, lift }: OldSetting, { value }: Pair): boolean {
  if (to !== undefined) return true;
  const target = resolved(document, value);
  // A list or a text of that name is something else, which the schema reports.
  if (lift !== undefined) return target === null || isMap(target) || (isScalar(target) && target.value === null);
  return isScalar(target) && Object.hasOwn(values, String(target.value));
}

const resolved = (document: Document, node: unknown): Node | null => {
  if (!isNode(node)) return null;
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
};

/** Limit for chains of `<<`, because a chain that refers to itself would never end. */
const deepestMerge = 20;

/** A map's own members, and those that are merged in. */
function pairsOf(
  document: Document,
  map: YAMLMap,
  depth = 0,
): { readonly pair: Pair; readonly owner: YAMLMap; readonly key: Scalar }[] {
  return map.items.flatMap((pair) => {
    const { key } = pair;
    if (!isScalar(key)) return [];
    if (key.value !== "<<" || depth > deepestMerge) return [{ pair, owner: map, key }];
    const merged = resolved(document, pair.value);
    const sources = isSeq(merged) ? merged.items.map((item) => resolved(document, item)) : [merged];
    return sources.flatMap((source) => (isMap(source) ? pairsOf(document, source, depth + 1) : []));
  });
}

function typeOf(document: Document, connector: unknown): unknown {
  const target = resolved(document, connector);
  if (!isMap(target)) return undefined;
  const value = pairsOf(document, target).find(({ key }) => key.value === "type")?.pair.value;
  const scalar = resolved(document, value);
  return isScalar(scalar) ? scalar.value : undefined;
}
