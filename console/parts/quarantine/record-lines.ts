import { pathWritten } from "../../../src/kit/json/member-path.ts";

/** A line of a record, as people read JSON. */
export interface RecordLine {
  readonly text: string;
  /** The place of the member that the line begins, such as `Lines[3].Qty`; null if it only ends one. */
  readonly path: string | null;
}

interface Holder {
  readonly isList: boolean;
  readonly place: readonly (string | number)[];
  /** The name or index of the member that is read. */
  member: string | number | null;
}

const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The lines of a JSON text, which may be cut anywhere. Long numbers stay as they were written. */
export function recordLines(json: string): readonly RecordLine[] {
  const lines: RecordLine[] = [];
  const holders: Holder[] = [];
  let text = "";
  let path: string | null = "";
  const end = () => {
    lines.push({ text, path });
    text = "  ".repeat(holders.length);
    path = null;
  };
  const here = (): readonly (string | number)[] => {
    const holder = holders.at(-1);
    return holder === undefined || holder.member === null ? [] : [...holder.place, holder.member];
  };
  const found = json.match(tokens) ?? [];
  for (const [index, token] of found.entries()) {
    const holder = holders.at(-1);
    const next = found[index + 1];
    if (holder?.isList === false && holder.member === null && token.startsWith('"')) {
      holder.member = nameIn(token);
      path = pathWritten(here());
    } else if (holder?.isList === true && path === null && token !== "]" && token !== ",") path = pathWritten(here());
    if (token === "{" || token === "[") {
      text += token;
      const isList = token === "[";
      holders.push({ isList, place: here(), member: isList ? 0 : null });
      if (next !== (isList ? "]" : "}")) end();
    } else if (token === "}" || token === "]") {
      holders.pop();
      const isEmpty = /^[{[]$/.test(found[index - 1] ?? "");
      if (!isEmpty) end();
      text += token;
    } else if (token === ",") {
      text += token;
      if (holder !== undefined) holder.member = typeof holder.member === "number" ? holder.member + 1 : null;
      end();
    } else text += token === ":" ? ": " : token;
  }
  lines.push({ text, path });
  return lines;
}

function nameIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    // It is cut.
    return token.slice(1);
  }
}

/** JSON with line breaks where it is JSON; otherwise as it is. */
export function pretty(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return recordLines(text)
    .map((line) => line.text)
    .join("\n");
}

/** A line with what is said about it. */
export interface MarkedLine extends RecordLine {
  readonly notes: readonly string[];
}

/**
 * Puts notes beside the lines of their places. The note of a member that is missing stands beside what should have it,
 * unless the text is only a part of the record.
 */
export function markedLines(
  lines: readonly RecordLine[],
  notes: readonly { readonly place: string; readonly note: string }[],
  { isCut = false } = {},
): readonly MarkedLine[] {
  const paths = new Set(lines.map(({ path }) => path));
  const byPath = Map.groupBy(notes, ({ place }) => (isCut || paths.has(place) ? place : enclosing(place, paths)));
  return lines.map((line) => ({
    ...line,
    notes: line.path === null ? [] : [...new Set(byPath.get(line.path)?.map(({ note }) => note))],
  }));
}

/** The nearest place around a missing member. */
function enclosing(place: string, paths: ReadonlySet<string | null>): string {
  let outer = place;
  while (outer !== "" && !paths.has(outer))
    outer = outer.slice(0, Math.max(0, outer.search(/(?:\.[^.[\]]*|\[[^\]]*\])$/)));
  return outer;
}

/** Where the mapping could not make a member, its reason stands in the member's place. The note beside it says it. */
export const withoutReasons = (lines: readonly MarkedLine[]): readonly MarkedLine[] =>
  lines.flatMap((line, index) => {
    const isReason = (at: number) => {
      const [own, inner] = [lines[at], lines[at + 1]];
      return (
        own !== undefined && own.notes.length > 0 && own.text.endsWith("{") && inner?.path === `${own.path}.problem`
      );
    };
    if (isReason(index))
      return [{ ...line, text: `${line.text.slice(0, -1)}–${lines[index + 2]?.text.trim().slice(1) ?? ""}` }];
    return isReason(index - 1) || isReason(index - 2) ? [] : [line];
  });
