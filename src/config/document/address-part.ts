/** A value of an environment variable, and the text it was filled into. */
interface FilledIn {
  /** What stands before it in the text, other variables not filled in. */
  readonly before: string;
  readonly value: string;
  /** The whole text, with all variables filled in. */
  readonly text: string;
  /** Whether the text is the base address of an interface. Other addresses may be secret as a whole, as that of a chat's webhook. */
  readonly isBase: boolean;
}

/** Longer ones in a path may be keys. */
const longestSegment = 20;

/**
 * Whether a value is only (a part of) an address, and so no secret: without it, nobody could read in a log where a request
 * went. An address with a user, a query or a fragment may hold a secret, and so may the path of one that is no base address.
 */
export function isAddressPart({ before, value, text, isBase }: FilledIn): boolean {
  if (addressIn(text) === null) return false;
  if (before !== "") return /^https?:\/\/[\w.:[\]${}-]*$/i.test(before) && /^[\w.:[\]-]+$/.test(value);
  const address = addressIn(value);
  if (address === null || address.search !== "" || address.hash !== "") return false;
  const segments = address.pathname.split("/").filter((segment) => segment !== "");
  return segments.length === 0 || (isBase && segments.every(({ length }) => length <= longestSegment));
}

/** Null if it is none, or names a user. */
function addressIn(text: string): URL | null {
  const address = URL.canParse(text) ? new URL(text) : null;
  const isWeb = address !== null && ["http:", "https:"].includes(address.protocol);
  return isWeb && address.username === "" && address.password === "" ? address : null;
}
