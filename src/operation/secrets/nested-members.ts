/** How many backslashes stand before a quote in JSON that is a text in JSON: once, twice, three and four times. */
const depths = [1, 3, 7, 15];

const nestedMembers = depths.map((depth) => {
  const quote = `\\\\{${depth}}"`;
  // Not more backslashes: that would be a quote inside a value.
  const exactly = `(?<!\\\\)${quote}`;
  const name = `([^"\\\\]{1,64})${quote}`;
  const text = `${quote}([^]*?)(?=${exactly}|$)`;
  return {
    quote: `${"\\".repeat(depth)}"`,
    members: new RegExp(`(${exactly}${name}\\s{0,20}:\\s{0,20})(?:${text}|(-?\\d[\\d.eE+-]*))`, "g"),
  };
});

/**
 * Replaces values of members in JSON that is itself a text inside JSON, as external data and echoed requests are. `mask`
 * returns what to show instead of a value; null: the value.
 */
export function maskNestedMembers(text: string, mask: (name: string, value: string) => string | null): string {
  if (!text.includes('\\"')) return text;
  return nestedMembers.reduce(
    (rest, { quote, members }) =>
      rest.replace(members, (whole, before: string, name: string, text?: string, number?: string) => {
        const shown = mask(name, text ?? number ?? "");
        // A number is replaced by a text, which has a quote at its end as well.
        return shown === null ? whole : `${before}${quote}${shown}${text === undefined ? quote : ""}`;
      }),
    text,
  );
}
