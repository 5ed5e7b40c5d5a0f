import { tmpdir } from "node:os";

/** Secrets that every tested service gets. None of them may appear in an answer or a log. */
export const secrets = {
  apiKey: "chaos-key-5f1d7c",
  signing: "whsec_Y2hhb3Mtc2lnbmluZy1zZWNyZXQtMDE=",
} as const;

const internals: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a stack trace", /(\n|\\n)\s+at [^\n]{1,200}[:(]/],
  ["a source file", /\b[\w-]+\.[jt]s:\d+/],
  ["a path", /node_modules|\bfile:\/\/|\/src\/|\/proc\//],
  ["the data folder", new RegExp(`${tmpdir()}/crossdock-chaos-`)],
  ["the database", /\bSQLITE_|crossdock\.db|\b(SELECT|INSERT|UPDATE) \w+/],
];

/** Returns secret or internal text found in an answer (I7); null if there is none. */
export function leakIn(text: string): string | null {
  const secret = secretIn(text);
  if (secret !== null) return secret;
  const inside = internals.find(([, pattern]) => pattern.test(text));
  return inside === undefined ? null : `${inside[0]}: ${text.slice(0, 300)}`;
}

/** Returns a secret found in a text. Used for logs, which may show where something failed, but never a secret. */
export function secretIn(text: string): string | null {
  for (const [name, secret] of Object.entries(secrets)) {
    const bare = secret.replace("whsec_", "");
    if (text.includes(bare)) return `the secret "${name}": ${text.slice(0, 300).replaceAll(bare, "…")}`;
  }
  return null;
}
