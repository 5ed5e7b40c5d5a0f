const contextLines = 2;

/**
 * The lines that differ, with a few lines around them. `-` marks old lines, `+` new ones, and `@@ line` starts each
 * group.
 */
export function lineDiff(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const marked = marks(old, now);
  const isNear = marked.map((_, index) =>
    marked.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== " "),
  );
  return marked.flatMap(({ sign, text, line }, index) => {
    if (!isNear[index]) return [];
    const isFirst = index === 0 || !isNear[index - 1];
    return [...(isFirst ? [`@@ ${line}`] : []), `${sign} ${text}`.trimEnd()];
  });
}

interface Marked {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** The line number in the old text. */
  readonly line: number;
}

/**
 * Comparing more pairs of lines would take too much memory. Then all old lines are listed first, and all new ones after
 * them.
 */
const mostPairs = 4_000_000;

/** Marks lines by the longest common sequence. Lines at both ends that are the same need no comparison. */
function marks(old: readonly string[], now: readonly string[]): Marked[] {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const same = (lines: readonly string[], before: number) =>
    lines.map((text, index): Marked => ({ sign: " ", text, line: before + index + 1 }));
  return [
    ...same(old.slice(0, head), 0),
    ...compared(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head),
    ...same(old.slice(old.length - tail), old.length - tail),
  ];
}

/** Marks the lines of two texts that begin after a number of lines that are the same. */
function compared(old: readonly string[], now: readonly string[], before: number): Marked[] {
  if (old.length * now.length > mostPairs) {
    const signed = (sign: "-" | "+", lines: readonly string[]) =>
      lines.map((text, index): Marked => ({ sign, text, line: before + index + 1 }));
    return [...signed("-", old), ...signed("+", now)];
  }
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      longest[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const found: Marked[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const line = before + row + 1;
    if (row < old.length && column < now.length && old[row] === now[column]) {
      found.push({ sign: " ", text: old[row++] ?? "", line });
      column++;
    } else if (row < old.length && (column >= now.length || at(row + 1, column) >= at(row, column + 1))) {
      found.push({ sign: "-", text: old[row++] ?? "", line });
    } else found.push({ sign: "+", text: now[column++] ?? "", line });
  }
  return found;
}
