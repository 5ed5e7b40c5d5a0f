import type { SourceFile } from "../code/read-code.ts";

/** A room of the table in docs/explanation/architecture.md. */
export interface Room {
  readonly name: string;
  /** The rooms it may import. */
  readonly below: readonly string[];
}

const width = 980;
const gap = 16;
const lineHeight = 16;
/** The width of a character in the widest usual font. With less, text could leave its box. */
const characterWidth = 7;

/** The rooms in the order of the documentation, with the rooms they really import. */
export function readRooms(markdown: string, files: readonly Pick<SourceFile, "path" | "imports">[]): Room[] {
  const names = [...markdown.matchAll(/^\| `src\/([\w-]+)` \|/gm)].map(([, name = ""]) => name);
  const roomOf = (path: string) => path.split("/")[0] ?? "";
  return names.map((name) => {
    const own = files.filter(({ path }) => roomOf(path) === name);
    const imported = new Set(own.flatMap(({ imports }) => imports.map(({ path }) => roomOf(path))));
    return { name, below: names.filter((one) => one !== name && imported.has(one)) };
  });
}

/** Draws the rooms in layers: each imports only lower ones. Indirect imports are not drawn. */
export function roomsDiagram(rooms: readonly Room[]): string {
  const levels = levelsOf(rooms);
  const highest = Math.max(...levels.values());
  const shapes: string[] = [];
  let y = 20;
  for (let level = highest; level >= 0; level--) {
    const row = rooms.filter(({ name }) => levels.get(name) === level);
    const boxWidth = Math.min(300, (width - 40 - gap * (row.length - 1)) / row.length);
    const texts = row.map((room) => wrapped(nearest(room, rooms), (boxWidth - 12) / characterWidth));
    const height = 36 + lineHeight * Math.max(...texts.map((lines) => lines.length));
    const left = (width - row.length * boxWidth - gap * (row.length - 1)) / 2;
    for (const [index, { name }] of row.entries()) {
      shapes.push(
        ...boxOf({ name, lines: texts[index] ?? [], x: left + index * (boxWidth + gap), y, boxWidth, height }),
      );
    }
    y += height + gap;
  }
  const height = y + 26;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif">`,
    "  <title>The rooms of the source in layers</title>",
    "  <!-- A background of its own: readable on light and on dark pages. -->",
    `  <rect width="${width}" height="${height}" rx="12" fill="#ffffff"/>`,
    ...shapes,
    `  <text x="${width / 2}" y="${height - 14}" text-anchor="middle" font-size="13" fill="#33566e">Imports go down only. The arrow names the nearest rooms; through them a room may know those further down.</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function boxOf(box: {
  name: string;
  lines: string[];
  x: number;
  y: number;
  boxWidth: number;
  height: number;
}): string[] {
  const { name, lines, x, y, boxWidth, height } = box;
  const middle = Math.round(x + boxWidth / 2);
  return [
    `  <rect x="${Math.round(x)}" y="${y}" width="${Math.round(boxWidth)}" height="${height}" rx="8" fill="#eef4f8" stroke="#33566e" stroke-width="1.5"/>`,
    `  <text x="${middle}" y="${y + 23}" text-anchor="middle" font-size="15" font-weight="700" fill="#12324a">${name}</text>`,
    ...lines.map(
      (line, index) =>
        `  <text x="${middle}" y="${y + 42 + index * lineHeight}" text-anchor="middle" font-size="12" fill="#33566e">${line}</text>`,
    ),
  ];
}

function wrapped(names: readonly string[], mostCharacters: number): string[] {
  const lines: string[] = [];
  for (const [index, name] of names.entries()) {
    const word = index === names.length - 1 ? name : `${name},`;
    const last = lines.at(-1);
    if (last === undefined) lines.push(`→ ${word}`);
    else if (last.length + word.length + 1 <= mostCharacters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The level of each room: the number of rooms below it, along the longest path. */
function levelsOf(rooms: readonly Room[]): Map<string, number> {
  const byName = new Map(rooms.map((room) => [room.name, room]));
  const levels = new Map<string, number>();
  const levelOf = (name: string, above: readonly string[]): number => {
    // Without this check, a circle in the table would never end.
    if (above.includes(name)) throw new Error(`the rooms import in a circle: ${[...above, name].join(" → ")}`);
    const known = levels.get(name);
    if (known !== undefined) return known;
    const below = byName.get(name)?.below ?? [];
    const level = Math.max(-1, ...below.map((one) => levelOf(one, [...above, name]))) + 1;
    levels.set(name, level);
    return level;
  };
  for (const { name } of rooms) levelOf(name, []);
  return levels;
}

/** The imports of a room that cannot be reached through another room. */
function nearest(room: Room, rooms: readonly Room[]): string[] {
  const byName = new Map(rooms.map((one) => [one.name, one]));
  const reached = new Set<string>();
  const walk = (name: string) => {
    for (const one of byName.get(name)?.below ?? []) {
      if (reached.has(one)) continue;
      reached.add(one);
      walk(one);
    }
  };
  for (const one of room.below) walk(one);
  return room.below.filter((one) => !reached.has(one));
}
