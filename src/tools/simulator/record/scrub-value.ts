import { createHmac } from "node:crypto";

const deepest = 60;
const date = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const language = /^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$/;
const version = /^\d{1,9}(\.\d{1,9}){0,3}$/;
/**
 * Matches a name given by a programmer. Any other name may be data, such as an address or a person's name used as a
 * key. A single word of letters cannot be told from such a name, but replacing all of them would break adapters that
 * map by member names.
 */
const plainName = /^(?=.{1,64}$)[@$]?[A-Za-z_]+([@.](odata|type)(\.[A-Za-z]+)*)?$/;
/** A minimal PNG file that replaces pictures. */
export const blankImage =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Removes everything that identifies people or customers from a JSON value of the contract; the structure stays. */
export function valueScrubber(names: Pseudonyms): (value: unknown, kind?: MemberKind) => unknown {
  const foreign = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return names.text(value);
    if (typeof value === "number") return names.number(value);
    return each(value, depth, (member, _name, deeper) => foreign(member, deeper), foreignName);
  };
  const foreignName = (name: string) => (plainName.test(name) ? name : names.text(name));

  const known = (value: unknown, kind: MemberKind | undefined, depth: number): unknown => {
    if (kind === undefined) return foreign(value, depth);
    if (typeof value === "string") return knownText(value, kind, depth);
    if (typeof value === "number") return kind === "amount" ? value : names.number(value);
    if (kind === "amounts") {
      const amount = (member: unknown, _: string, deeper: number) => known(member, "amount", deeper);
      return each(value, depth, amount, names.identifier);
    }
    if (kind !== "holder" && !Array.isArray(value)) return foreign(value, depth);
    // Elements of a list have the kind of the list; members have kinds of their own.
    const below = (member: unknown, name: string, deeper: number) =>
      known(member, Array.isArray(value) ? kind : memberKind(name), deeper);
    return each(value, depth, below, (name) => (memberKind(name) === undefined ? foreignName(name) : name));
  };

  const knownText = (value: string, kind: MemberKind, depth: number): string => {
    switch (kind) {
      case "identifier":
        return names.identifier(value);
      case "email":
        return names.email(value);
      case "name":
        return foreignName(value);
      case "date":
        return date.test(value) ? value : names.text(value);
      case "language":
        return language.test(value) ? value : names.text(value);
      case "version":
        return version.test(value) ? value : names.text(value);
      case "image":
        return blankImage;
      case "json": {
        const held = readJson(value);
        return held === undefined ? names.text(value) : JSON.stringify(foreign(held, depth + 1));
      }
      case "file": {
        const held = readJson(Buffer.from(value, "base64").toString());
        const kept = held === undefined ? "scrubbed" : JSON.stringify(known(held, "holder", depth + 1));
        return Buffer.from(kept).toString("base64");
      }
      default:
        return names.text(value);
    }
  };
  return (value, kind = "holder") => known(value, kind, 0);
}

function each(
  value: unknown,
  depth: number,
  member: (value: unknown, name: string, depth: number) => unknown,
  rename: (name: string) => string,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  // No real order is nested so deeply; a body that would overflow the stack must not stop the recording.
  if (depth >= deepest) return null;
  if (Array.isArray(value)) return value.map((element) => member(element, "", depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [rename(name), member(held, name, depth + 1)] as const),
  );
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/**
 * How a member of the contract's bodies is recorded. A member that is not listed here, with everything inside it, is
 * foreign: its texts and numbers are replaced. A list of what may stay can be reviewed; a list of what must go would
 * miss members that customers add.
 */
export type MemberKind =
  /** Contains further members of this list. */
  | "holder"
  /** Replaced by a pseudonym. The same number, code or place always gets the same one. */
  | "identifier"
  /** Amounts by identifier. */
  | "amounts"
  | "email"
  /** The name of a column: kept if it looks like a name. */
  | "name"
  /** Amounts, enumerations and positions: kept. */
  | "amount"
  /** Kept if it looks like a date. */
  | "date"
  | "language"
  | "version"
  /** A text that contains JSON. */
  | "json"
  | "file"
  | "image";

const names: Readonly<Record<MemberKind, string>> = {
  holder:
    "requests request workOrder updateWorkOrderRequest itemRequests itemNames containersBreakdown placements data " +
    "amountToConfirmPickingSummary amountToConfirmSummary validationStatus values",
  identifier:
    "number externalIdentifier deliveryNumber alternativeStartNumber itemNumber workOrderNumber workOrdersNumbers " +
    "lotNumber itemExternalIdentifier requestExternalIdentifier workOrderExternalIdentifier containerCode code " +
    "designatedStorageName designatedLocationName locationName confirmedLocationName destinationLocationName " +
    "storageName storageId requestId id designatedLocationId ids",
  name: "key",
  amounts: "remainingRequests missingQuantities",
  email: "userEmail",
  amount:
    "requestedAmount completedAmount amount requestRemainingAmountInBaseUnitOfMeasure " +
    "requestAmountInBaseUnitOfMeasure requestedAmountInBaseUnitOfMeasure completedAmountInBaseUnitOfMeasure " +
    "amountToConfirmInBaseUnitOfMeasure amountToConfirmPlacingInBaseUnitOfMeasure unitOfMeasure itemUnitOfMeasure " +
    "requestType type order status fileType minimumStockQuantity weight height width length volume result errorCount",
  date: "dueDate customerRequiredDeliveryDate buildDateTime asOf",
  language: "languageIsoCode",
  version: "version",
  json: "externalData requestExternalData workOrderExternalData deliveryNoteExternalData deliveryAddressExternalData",
  file: "fileContent",
  image: "image",
};

const kinds = new Map<string, MemberKind>(
  // The keys are those of the type.
  (Object.keys(names) as MemberKind[]).flatMap((kind) =>
    names[kind].split(" ").map((name) => [name.toLowerCase(), kind] as const),
  ),
);

/** By name in any letter case; undefined for foreign members. */
export const memberKind = (name: string): MemberKind | undefined => kinds.get(name.toLowerCase());

/** Replacements for what must not be written: equal for equal values, and irreversible without the key. */
export interface Pseudonyms {
  /** Characters other than letters and digits stay in place, because a slash in a number is worth replaying. */
  readonly identifier: (text: string) => string;
  readonly email: (text: string) => string;
  readonly text: (text: string) => string;
  /** Returns a whole number with the same number of digits. */
  readonly number: (number: number) => number;
}

const mostKept = 200_000;
const mostDigits = 15;

export function pseudonyms(key: Uint8Array): Pseudonyms {
  // A cache: a list of orders repeats the same texts.
  const known = new Map<string, string>();
  const digest = (text: string) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const made = createHmac("sha256", key).update(text).digest("hex");
    if (known.size >= mostKept) known.clear();
    known.set(text, made);
    return made;
  };
  /** A permutation of the numbers below `size`, so that two lines of an order do not get the same number. */
  const permuted = (value: number, size: number): number => {
    const half = 2 ** Math.max(1, Math.ceil(Math.log2(size) / 2));
    let walked = value;
    do {
      let [left, right] = [Math.floor(walked / half), walked % half];
      for (let round = 0; round < 4; round++) {
        const mixed = Number.parseInt(digest(`number ${size} ${round} ${right}`).slice(0, 12), 16);
        [left, right] = [right, (left + mixed) % half];
      }
      walked = left * half + right;
    } while (walked >= size);
    return walked;
  };
  return {
    identifier: (text) => {
      const own = digest(text);
      let at = -1;
      return text.replace(/[\p{L}\p{N}]+/gu, () => {
        at++;
        return at === 0 ? `x${own.slice(0, 12)}` : own.slice(12 + ((at * 4) % 48)).slice(0, 4);
      });
    },
    email: (text) => (text === "" ? "" : `user-${digest(text.toLowerCase()).slice(0, 10)}@example.com`),
    text: (text) => (text === "" ? "" : `text-${digest(text).slice(0, 10)}`),
    number: (number) => {
      const whole = Math.trunc(Math.abs(number));
      // 0 reveals nothing.
      if (whole === 0) return 0;
      // An integer above the safe range is probably a code; with that many digits pseudonyms do not collide.
      const digits = Number.isSafeInteger(whole) ? Math.min(mostDigits, whole.toString().length) : mostDigits;
      const first = 10 ** (digits - 1);
      const value = whole < 10 * first ? whole - first : Number.parseInt(digest(`number ${number}`).slice(0, 12), 16);
      const made = first + permuted(value % (9 * first), 9 * first);
      return number < 0 ? -made : made;
    },
  };
}
