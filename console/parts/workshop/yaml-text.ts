/** Plain data as YAML with one member per line, as people write it in the file. */
export const yamlText = (value: unknown): string => linesOf(value).join("\n");

function linesOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((one) => below("-", one));
  if (isSection(value)) return Object.entries(value).flatMap(([name, one]) => member(name, one));
  return [plain(value)];
}

/** A member of a section: in its line, or in the lines below it. */
function member(name: string, value: unknown): string[] {
  const key = `${plain(name)}:`;
  if (!isSection(value) && !(Array.isArray(value) && value.length > 0)) return [`${key} ${plain(value)}`];
  return [key, ...indented(linesOf(value))];
}

/** An element of a list: its first line stands behind the mark. */
function below(mark: string, value: unknown): string[] {
  const [first = "", ...rest] = linesOf(value);
  return [`${mark} ${first}`, ...indented(rest)];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** A text that cannot be taken for anything else needs no quotation marks. JSON is YAML, too. */
function plain(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain =
    /^[A-Za-z_/$][\w./$-]*(?: [\w./$-]+)*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
