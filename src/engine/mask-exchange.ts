/** Takes the secrets it knows out of a text. */
export type Mask = (text: string) => string;

const masked = "***";
const secretWord =
  "passw(?:or)?d|passphrase|pwd|secret|token|credential|api[-_]?key|private[-_]?key|session[-_]?id|jsessionid";
const secretName = new RegExp(
  `authori[sz]ation|cookie|signature|csrf|xsrf|^session$|^x-.*-session$|(?:subscription|functions|access|auth)-?key$|${secretWord}`,
  "i",
);
const secretParameter = new RegExp(
  `([?&;](?:[^=&?#\\s]{0,40}(?:${secretWord}|signature)[^=&?#\\s]{0,40}|sig|code|key|auth)=)[^&#\\s]*`,
  "gi",
);
/** A member of JSON or XML, or a field of a form, whose name says that its value is nobody's business. */
const secretMember = new RegExp(
  `("[^"\\\\]{0,40}(?:${secretWord})[^"\\\\]{0,40}"\\s{0,20}:\\s{0,20}")(?:[^"\\\\]|\\\\.)*`,
  "gi",
);
const secretElement = new RegExp(`(<[\\w:.-]{0,40}(?:${secretWord})[\\w:.-]{0,40}>)[^<]*`, "gi");
const secretField = new RegExp(`((?:^|&)[\\w.-]{0,40}(?:${secretWord})[\\w.-]{0,40}=)[^&\\s]*`, "gi");
const secretHint = new RegExp(secretWord, "i");
const login = /(:\/\/[^/\s:@]*:)[^/\s@]*@/g;

export interface HeaderBounds {
  readonly mask: Mask;
  readonly mostHeaders: number;
  readonly headerLength: number;
}

/** By name, because a proof is made anew for each request; and by value, wherever else it stands. */
export function maskedHeaders(
  headers: Readonly<Record<string, string>>,
  { mask, mostHeaders, headerLength }: HeaderBounds,
): Record<string, string> {
  const given = Object.entries(headers).slice(0, mostHeaders);
  // Most requests have nothing to mask in their values: one look at all of them instead of several at each.
  const all = given.map(([, value]) => value).join("\n");
  const isClean = maskedPlace(all, mask) === all;
  const shownValue = (value: string) => cutAt(isClean ? value : maskedPlace(value, mask), headerLength);
  const shown = given.map(
    ([name, value]) => [name, secretName.test(name) ? masked : shownValue(String(value))] as const,
  );
  return Object.fromEntries(shown);
}

/** An address without the password and the keys in it. */
export function maskedPlace(to: string, mask: Mask): string {
  const known = mask(to).replace(login, `$1${masked}@`);
  return known.includes("=") ? known.replace(secretParameter, `$1${masked}`) : known;
}

export function maskedBody(text: string, mask: Mask): string {
  const known = mask(text);
  if (!secretHint.test(known)) return known;
  return known
    .replace(secretMember, `$1${masked}`)
    .replace(secretElement, `$1${masked}`)
    .replace(secretField, `$1${masked}`);
}

const cutAt = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
