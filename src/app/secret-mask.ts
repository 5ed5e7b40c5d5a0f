import { redactor } from "./redactor.ts";

type Mask = (text: string) => string;

export interface SecretMask {
  /** Takes every secret of the configuration out of a text. */
  readonly mask: Mask;
  /** A configuration begins to hold; deliveries of the one before it may still be under way. */
  readonly learn: (config: unknown, redact?: Mask) => void;
}

const secretName =
  /passw(or)?d|passphrase|secret|token|credential|api[-_]?key|private[-_]?key|authori[sz]ation|cookie/i;
/** The name of something, the address of a login or the name of a file says nothing secret. */
const plainName = /(name|header|param|path|url|file|id|member|scheme)$/i;

/** What came from the environment or a file is known as such; what stands in the file itself is known by its name. */
export function secretMask(): SecretMask {
  let now: Mask = (text) => text;
  let before: Mask = now;
  return {
    mask: (text) => now(before(text)),
    learn: (config, redact = (text) => text) => {
      const byName = redactor(secretsIn(config));
      before = now;
      now = (text) => byName(redact(text));
    },
  };
}

function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === "string") return isSecret ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => secretsIn(one, isSecret));
  return Object.entries(value).flatMap(([name, own]: [string, unknown]) =>
    secretsIn(own, secretName.test(name) && !plainName.test(name)),
  );
}
