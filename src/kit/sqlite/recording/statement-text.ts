/** The parts of a statement that changes the rows of one table. Null: another statement. */
export type WritingStatement =
  | {
      readonly kind: "insert";
      readonly table: string;
      /** The columns that get the first values, in this order. */
      readonly columns: readonly string[];
      /** If the row exists: null: an error. Otherwise it may be replaced, or these columns of it updated. */
      readonly changedIfKnown: readonly string[] | null;
    }
  | {
      readonly kind: "update";
      readonly table: string;
      readonly columns: readonly string[];
      /** How many values come before those of the condition. */
      readonly valuesBefore: number;
      /** Whether each column gets one of these values as it is. */
      readonly isPlain: boolean;
      readonly condition: string;
    }
  | { readonly kind: "delete"; readonly table: string; readonly condition: string };

const insertText = /^\s*INSERT(?: OR (REPLACE|IGNORE))? INTO (\w+) \(([\w\s,]+)\)\s+VALUES \(([?,\s]+)\)\s*(\S.*)?$/s;
const conflictText = /^ON CONFLICT\s*(?:\([\w\s,]*\)\s*)?DO (?:NOTHING|UPDATE SET (.+))$/s;
const updateText = /^\s*UPDATE (\w+) SET (.+)$/s;
const deleteText = /^\s*DELETE FROM (\w+)(?:\s+WHERE\s+(.+))?$/s;
/** Comments, and values that are not given in the order of their question marks. */
const unread = /--|\/\*|\?\d|[:@$]\w/;
const assignmentText = /^(\w+) = (.+)$/s;

/** Reads a statement of our own. What is written in another way, or says more, counts as another statement. */
export function writingStatement(sql: string): WritingStatement | null {
  const text = sql.trim();
  if (unread.test(withoutTexts(text))) return null;
  return insertOf(text) ?? updateOf(text) ?? deleteOf(text);
}

function insertOf(text: string): WritingStatement | null {
  const found = insertText.exec(text);
  if (found === null) return null;
  const [, rule, table = "", names = "", values = "", rest] = found;
  const columns = listed(names);
  if (listed(values).length !== columns.length) return null;
  if (rule !== undefined) return rest === undefined ? { kind: "insert", table, columns, changedIfKnown: [] } : null;
  if (rest === undefined) return { kind: "insert", table, columns, changedIfKnown: null };
  const conflict = conflictText.exec(rest);
  if (conflict === null) return null;
  const changedIfKnown = conflict[1] === undefined ? [] : assignments(conflict[1])?.columns;
  return changedIfKnown === undefined ? null : { kind: "insert", table, columns, changedIfKnown };
}

function updateOf(text: string): WritingStatement | null {
  const [, table = "", rest] = updateText.exec(text) ?? [];
  const read = rest === undefined ? null : assignments(rest);
  return read && { kind: "update", table, ...read };
}

function deleteOf(text: string): WritingStatement | null {
  const found = deleteText.exec(text);
  return found && { kind: "delete", table: found[1] ?? "", condition: found[2] ?? "true" };
}

/** Reads what follows SET, with the condition after it. */
function assignments(text: string) {
  const outer = outerText(text);
  // Rows of other tables decide as well.
  if (/\b(FROM|RETURNING)\b/i.test(outer)) return null;
  const at = outer.search(/\sWHERE\s/i);
  const end = at === -1 ? text.length : at;
  const parts: (readonly string[])[] = [];
  let start = 0;
  for (let place = 0; place <= end; place++) {
    if (place < end && outer[place] !== ",") continue;
    const part = assignmentText.exec(text.slice(start, place).trim());
    if (part === null) return null;
    parts.push(part);
    start = place + 1;
  }
  return {
    columns: parts.map(([, name = ""]) => name),
    valuesBefore: withoutTexts(text.slice(0, end)).split("?").length - 1,
    isPlain: parts.every(([, , value]) => value === "?"),
    condition: at === -1 ? "true" : text.slice(at).replace(/^\s*WHERE\s+/i, ""),
  };
}

const listed = (text: string) => text.split(",").map((one) => one.trim());

const blank = (text: string) => " ".repeat(text.length);
/** The same length, with spaces for texts in quotes. */
const withoutTexts = (text: string) => text.replace(/'[^']*'|"[^"]*"/g, blank);

/** The same length, with spaces for everything in quotes or parentheses. */
function outerText(text: string): string {
  let depth = 0;
  let outer = "";
  for (const one of withoutTexts(text)) {
    if (one === "(") depth++;
    outer += depth === 0 ? one : " ";
    if (one === ")") depth--;
  }
  return outer;
}
