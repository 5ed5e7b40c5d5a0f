/**
 * Every spelling of the configuration file that is no longer taken, and what it is called now. The texts that refuse an old
 * file, `crossdock config upgrade` and the page of the reference follow from this table.
 *
 * They are applied in this order, so that what lies deeper comes first: all paths are those of the old file.
 */
export interface OldSetting {
  /** Path in the old file; `*` stands for any name, `[]` for every element of a list. */
  readonly at: string;
  /** Only in connectors of this type. */
  readonly type?: string;
  /** The new name of the last member. */
  readonly to?: string;
  /** New values for old ones. Without `to` only these values are old. */
  readonly values?: Readonly<Record<string, string>>;
  /** Its members move up into the section around it; a text is the `kind` that is written there instead. */
  readonly lift?: string | true;
}

/** Places where the adapter shows an external system who it is. */
const sent = [{ at: "connectors.*.auth", type: "http" }, { at: "platform.forward.*.request.auth" }] as const;
/** Places where somebody shows it to the adapter. */
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
  { at: "events.by.*", values: { nobody: "none" } },
  ...below("apiKey.value", { to: "key" }),
  ...below("session.path", { to: "loginPath" }),
  ...below("session.token.at", { to: "tokenPath" }),
  ...below("session.token", { lift: true }),
  ...["basic", "bearer", "apiKey", "oauth2", "session"].flatMap((kind) => below(kind, { lift: kind })),
  ...accepted.map((at) => ({ at: `${at}.kind`, values: { key: "apiKey", certificate: "mtls" } })),
  ...accepted.map((at) => ({ at: `${at}.users[].user`, to: "username" })),
];

/** The new spelling of a member, as a person writes it. Other values than those of the table may be secrets. */
export function newSpelling({ to, values = {}, lift }: OldSetting, name: string, value?: string): string {
  if (lift === true) return `the members of ${name} one level higher`;
  if (lift !== undefined) return `auth: { kind: ${lift}, … }`;
  const written = value !== undefined && Object.hasOwn(values, value) ? values[value] : "…";
  return `${to ?? name}: ${written}`;
}

/** The rows of the page that lists them. */
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
