import { setImmediate as nextTurn } from "node:timers/promises";
import { longestOf, type MaskSecrets } from "../../../operation/record-sent.ts";
import { type MemberPlace, replaceMembers } from "../../../operation/secrets/replace-members.ts";
import { isSecretName, isSecretParameter } from "../../../operation/secrets/secret-names.ts";
import type { JournalOverview } from "../journal-overview.ts";

/** Everything about one order that helps to find a fault. It contains no personal data and no secrets. */
export interface SupportBundle {
  readonly format: "crossdock-support-bundle-1";
  readonly madeAt: string;
  readonly version: string;
  readonly order: unknown;
  readonly timeline: unknown;
  readonly explanation: unknown;
  /** Newest first. */
  readonly entries: readonly unknown[];
  /** Whether older entries or events were left out to keep the bundle small. */
  readonly isCut: boolean;
}

export interface BundleNeeds {
  readonly overview: Pick<JournalOverview, "order" | "timeline" | "explain" | "find" | "show">;
  readonly maskSecrets: MaskSecrets;
  readonly version: string;
  readonly now: () => number;
}

const mostEntries = 500;
const mostCharacters = 4 * 2 ** 20;
const mostEvents = 5_000;
const mostTextCharacters = 64 * 1024;
/** At least as much beyond the cut of a text is masked too. */
const leastOverhang = 8 * 1024;
/** After this many characters, other requests get their turn. */
const turnCharacters = 64 * 1024;
/** The cost of a member, in characters. */
const perMember = 16;
const unseen = { showPersonal: false };

/** Null if nothing is known of the order. */
export async function supportBundle(needs: BundleNeeds, number: string): Promise<SupportBundle | null> {
  const { overview, maskSecrets, version, now } = needs;
  const order = await overview.order(number);
  if (order === null) return null;
  const people = new Map<string, string>();
  const cleaning = { maskSecrets, people, characters: 0, turnAt: turnCharacters };
  const cleaned = (value: unknown) => scrubbed(value, cleaning);
  const found = await overview.find({ order: number }, { limit: mostEntries, ...unseen });
  const timeline = await overview.timeline(number, unseen);
  const events = timeline?.events.slice(-mostEvents) ?? [];
  const entries: unknown[] = [];
  for (const { seq } of found.entries) {
    // One entry with its attempts may be long; the floor must not wait for a bundle.
    await nextTurn();
    const entry = await overview.show(seq, unseen);
    // All names must be known before the first text that may contain them is cleaned.
    for (const { operator } of entry?.audit ?? []) nameFor(people, operator);
    const clean = await cleaned(entry);
    if (cleaning.characters > mostCharacters) break;
    entries.push(clean);
  }
  const isWhole = entries.length === found.entries.length && found.nextBefore === null;
  return {
    ...{ format: "crossdock-support-bundle-1", madeAt: new Date(now()).toISOString(), version },
    ...{ order: await cleaned(order), timeline: await cleaned(events) },
    ...{ explanation: await cleaned(await overview.explain(number)), entries },
    isCut: !isWhole || timeline?.isCut === true || events.length < (timeline?.events.length ?? 0),
  };
}

function nameFor(people: Map<string, string>, person: string): string {
  const known = people.get(person) ?? `person ${people.size + 1}`;
  people.set(person, known);
  return known;
}

/** A shorter name would also be found inside words and numbers. */
const shortestName = 3;

interface Cleaning {
  readonly maskSecrets: MaskSecrets;
  /** The people who acted, each with a replacement name, so that two people can still be told apart. */
  readonly people: Map<string, string>;
  /** How much was cleaned so far. */
  characters: number;
  /** The next turn of other requests. */
  turnAt: number;
}

/**
 * Removes secrets and personal data from a value at any depth. Bodies may have megabytes, so other requests run in
 * between.
 */
async function scrubbed(value: unknown, cleaning: Cleaning, name = ""): Promise<unknown> {
  cleaning.characters += perMember;
  if (cleaning.characters >= cleaning.turnAt) {
    cleaning.turnAt = cleaning.characters + turnCharacters;
    await nextTurn();
  }
  if (typeof value === "string") {
    if (name === "operator") return nameFor(cleaning.people, value);
    // Masked beyond the cut, and left out: the first part of a secret is not recognised.
    const overhang = Math.max(leastOverhang, longestOf(cleaning.maskSecrets));
    const begin = value.slice(0, mostTextCharacters + overhang);
    const masked = cleaning.maskSecrets(begin);
    const end = begin.length < value.length ? masked.length - overhang : masked.length;
    let text = scrubText(masked.slice(0, Math.min(mostTextCharacters, end)));
    cleaning.characters += text.length;
    const rest = value.length - mostTextCharacters;
    if (rest > 0) text += ` … (${rest} more)`;
    for (const [person, stand] of cleaning.people) {
      if (person.length >= shortestName) text = text.replaceAll(person, stand);
    }
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const one of value) list.push(await scrubbed(one, cleaning));
    return list;
  }
  const members: (readonly [string, unknown])[] = [];
  for (const [key, own] of Object.entries(value)) {
    // Phrases are left out: the English text beside them says the same.
    if (key !== "phrase") members.push([key, await scrubbed(own, cleaning, key)]);
  }
  return Object.fromEntries(members);
}

/**
 * Names of members and elements that hold what a person wrote, or where somebody lives. Letter case, `-` and `_` do not
 * count.
 */
const personal =
  /^(.*(mail|phone|mobile|telefax|street|address|addr|city|town|zip|postcode|postalcode|contact|customer|recipient|consignee|firstname|lastname|surname|fullname|displayname|person|username|useremail|birth|employee)\w*|(operator|worker|picker)(name|id)?|(created|changed|updated|picked|confirmed)by|name\d?|user|description|comment|comments|note|notes|remark|remarks|memo|text|fax|vat|iban)$/;

const isPersonal = (name: string): boolean => personal.test(name.toLowerCase().replace(/[-_]/g, ""));

/** Shows only that there was a text and, unless it was a secret, how long it was; null if it may be shown. */
function maskOf(name: string, text: string, place: MemberPlace): string | null {
  if (place === "address" ? isSecretParameter(name) : isSecretName(name)) return text === "" ? "" : "***";
  // Attributes of XML are often called `name`, and then say what an element is.
  if (place === "text" || !isPersonal(name)) return null;
  return text === "" ? "" : `*** (${text.length})`;
}

/**
 * Removes what must not be passed on: e-mail addresses anywhere, and names, addresses, free texts and secrets by the
 * name of their member.
 */
export const scrubText = (text: string): string => withoutAddresses(replaceMembers(text, maskOf));

const ends = /[\s"<>,;\\@]/;
const endsDomain = /[\s"'<>(){}[\],;:=\\@]/;

/** Searches around every `@`: a pattern that begins with any letters would try each letter of a long text. */
export function withoutAddresses(text: string): string {
  let clean = "";
  let copied = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let from = at;
    while (from > copied && at - from < 64 && !ends.test(text[from - 1] ?? " ")) from--;
    let to = at + 1;
    while (to < text.length && to - at < 255 && !endsDomain.test(text[to] ?? " ")) to++;
    if (from === at || to === at + 1) continue;
    clean += `${text.slice(copied, from)}***@***`;
    copied = to;
  }
  return clean + text.slice(copied);
}
