import type { RequestLine } from "../../../contract/schemas/work-order.ts";
import { oncePer } from "../../../kit/recent-values.ts";
import { filled, type LineNames, lineKey, namesOf, type ServedLine } from "../../ledger/line-ref.ts";
import { isPicked } from "../wanted.ts";

/**
 * The lines of one content that the platform may have fetched. A content has the very objects of the one before where
 * their lines are equal: an order of ten thousand lines that was changed often costs little more than its first content,
 * and what changed is found by comparing objects.
 */
export type ServedContent = readonly ServedLine[];

export const servedContent = oncePer(
  (requests: readonly RequestLine[]): ServedContent =>
    requests.filter(isPicked).map((line) => {
      const location = filled(line.designatedLocationName);
      const served = { ...namesOf(line), unit: line.unitOfMeasure ?? 0, amount: line.requestedAmount };
      return location === null ? served : { ...served, location };
    }),
);

/** The content with the lines of the one before where they are equal. */
export function reuseLines(content: ServedContent, before: ServedContent | undefined): ServedContent {
  if (before === undefined) return content;
  let byKey: ReadonlyMap<string, ServedLine> | undefined;
  return content.map((line, place) => {
    const same = before[place];
    if (isSameServed(line, same)) return same;
    // A line that was added or left out moves all lines after it.
    byKey ??= new Map(before.map((own) => [lineKey(own), own]));
    const moved = byKey.get(lineKey(line));
    return isSameServed(line, moved) ? moved : line;
  });
}

const isSameServed = (line: ServedLine, before: ServedLine | undefined): before is ServedLine =>
  before === line ||
  (before !== undefined &&
    line.externalId === before.externalId &&
    line.itemNumber === before.itemNumber &&
    line.lot === before.lot &&
    line.unit === before.unit &&
    line.amount === before.amount &&
    line.location === before.location);

/** Whether a content has the very lines of another one, in the same order. */
export const hasSameLines = (content: ServedContent, other: ServedContent): boolean =>
  content.length === other.length && content.every((line, place) => line === other[place]);

/** Each line of the contents once, the latest first: of lines with the same names, the one that was served last. */
export function* linesLatestFirst(contents: readonly ServedContent[]): Generator<ServedLine> {
  const seen = new Set<ServedLine>();
  let next: ServedContent = [];
  for (const content of contents.toReversed()) {
    for (let place = content.length - 1; place >= 0; place--) {
      const line = content[place];
      if (line === undefined || line === next[place] || seen.has(line)) continue;
      seen.add(line);
      yield line;
    }
    next = content;
  }
}

/**
 * The lines that contents have since others were kept, if these are still there: the last of them was the present one.
 * Undefined if one is missing.
 */
export function addedLines(
  before: readonly ServedContent[],
  contents: readonly ServedContent[],
): ServedContent | undefined {
  const last = before.at(-1);
  const same = contents[before.length - 1];
  const isKept = before.slice(0, -1).every((content, index) => content === contents[index]);
  if (last === undefined || same === undefined || !isKept || !hasSameLines(same, last)) return undefined;
  return contents.slice(before.length).flatMap((content) => content.filter((line, place) => line !== last[place]));
}

/**
 * Per name: the lines with that name in the contents that have it, oldest content first. A content in which they are
 * the same as in the content before is left out.
 */
export function versionsByName(
  contents: readonly ServedContent[],
  nameOf: (line: ServedLine) => string,
): ReadonlyMap<string, readonly ServedContent[]> {
  const versions = new Map<string, ServedContent[]>();
  /** How many lines of each name the content has. */
  const counts = new Map<string, number>();
  const count = (name: string, more: 1 | -1) => counts.set(name, (counts.get(name) ?? 0) + more);
  let before: ServedContent = [];
  for (const content of contents) {
    const changed = new Map<string, ServedLine | undefined>();
    for (let place = 0; place < content.length || place < before.length; place++) {
      const [was, is] = [before[place], content[place]];
      if (was === is) continue;
      if (was !== undefined) {
        const name = nameOf(was);
        count(name, -1);
        if (!changed.has(name)) changed.set(name, undefined);
      }
      if (is !== undefined) {
        const name = nameOf(is);
        count(name, 1);
        changed.set(name, is);
      }
    }
    const several = new Set([...changed.keys()].filter((name) => isSeveral(counts.get(name), changed.get(name))));
    const found =
      several.size === 0 ? new Map<string, ServedLine[]>() : groupedBy(content, nameOf, (name) => several.has(name));
    for (const [name, line] of changed) {
      const lines = found.get(name) ?? (line === undefined ? [] : [line]);
      const known = versions.get(name);
      if (lines.length === 0) continue;
      if (known === undefined) versions.set(name, [lines]);
      else if (!hasSameLines(lines, known.at(-1) ?? [])) known.push(lines);
    }
    before = content;
  }
  return versions;
}

/** Whether the line that has changed is not the only one of its name: then the others have to be found. */
const isSeveral = (lines = 0, changed: ServedLine | undefined): boolean =>
  lines > 1 || (lines === 1 && changed === undefined);

function groupedBy(
  content: ServedContent,
  nameOf: (line: ServedLine) => string,
  isMeant: (name: string) => boolean,
): Map<string, ServedLine[]> {
  const found = new Map<string, ServedLine[]>();
  for (const line of content) {
    const name = nameOf(line);
    if (!isMeant(name)) continue;
    const known = found.get(name);
    if (known === undefined) found.set(name, [line]);
    else known.push(line);
  }
  return found;
}

/** All three names: a line that has got an external id or a lot is another one. */
export const fullName = ({ externalId, itemNumber, lot }: LineNames): string =>
  JSON.stringify([externalId, itemNumber, lot]);

/** The names that every content has. */
export function namesInAll(contents: readonly ServedContent[]): ReadonlySet<string> {
  const [first = [], ...others] = contents;
  const names = new Set(first.map(fullName));
  let before = first;
  for (const content of others) {
    const gone = before.filter((line, place) => line !== content[place] && !isNamedAlike(line, content[place]));
    if (gone.length > 0) {
      const present = new Set(content.map(fullName));
      for (const name of gone.map(fullName)) if (!present.has(name)) names.delete(name);
    }
    before = content;
  }
  return names;
}

const isNamedAlike = (line: LineNames, other: LineNames | undefined): boolean =>
  line.externalId === other?.externalId && line.itemNumber === other.itemNumber && line.lot === other.lot;
