/** Shorter ones would blot out half of every text, and tell nobody anything. */
const shortest = 4;

/** Takes the given values out of a text. Long ones are looked for line by line too: a key is printed in pieces. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), ...secret.split(/\r?\n/)]);
  // The longest first: one secret may be the beginning of another.
  const values = [...new Set(parts)].filter((part) => part.length >= shortest).sort((a, b) => b.length - a.length);
  return (text) => values.reduce((rest, value) => rest.replaceAll(value, "***"), text);
}
