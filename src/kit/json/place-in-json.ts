interface Level {
  /** The position in a list; null in an object. */
  index: number | null;
  name: string;
}

/**
 * Returns the path of a byte in a JSON document, as a person writes it: `requests[0].itemNumber`; or the path of a
 * given number of levels above. Slow, so it is used only for error texts.
 */
export function placeInJson(bytes: Uint8Array, position: number, levelsAbove = 0): string {
  const levels: Level[] = [];
  const end = Math.min(position, bytes.length);
  for (let at = 0; at < end; at++) {
    const byte = bytes[at];
    if (byte === 0x7b) levels.push({ index: null, name: "" });
    else if (byte === 0x5b) levels.push({ index: 0, name: "" });
    else if (byte === 0x7d || byte === 0x5d) levels.pop();
    else if (byte === 0x2c) {
      const top = levels.at(-1);
      if (top !== undefined && top.index !== null) top.index++;
    } else if (byte === 0x22) {
      const start = at + 1;
      at = endOfText(bytes, start);
      const top = levels.at(-1);
      if (top === undefined || top.index !== null || !isFollowedByColon(bytes, at + 1)) continue;
      top.name = unescaped(Buffer.from(bytes.subarray(start, at)).toString());
    }
  }
  let place = "";
  for (const { index, name } of levels.slice(0, levels.length - levelsAbove)) {
    if (index !== null) place += `[${index}]`;
    else if (name !== "") place += place === "" ? shown(name) : `.${shown(name)}`;
  }
  return place;
}

const maxShownLength = 60;
const shown = (name: string) =>
  (name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name).toWellFormed();

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
}

function isFollowedByColon(bytes: Uint8Array, start: number): boolean {
  let at = start;
  // Space, tab, line feed and carriage return are the white space that JSON allows between a name and its colon.
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return bytes[at] === 0x3a;
}

function unescaped(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}
