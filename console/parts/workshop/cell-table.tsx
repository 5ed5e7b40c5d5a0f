import { useEffect, useRef, useState } from "preact/hooks";
import type { PreviewProblem } from "../../../src/formats/import/preview-file.ts";
import { say } from "../../say.ts";

interface CellTableNeeds {
  readonly rows: readonly (readonly string[])[];
  readonly problems: readonly PreviewProblem[];
  readonly name: string;
  readonly delimiter: string;
  readonly headerRow: number;
  readonly onChanged: (bytes: Blob) => void;
}

const shownRows = 200;

const placeOf = (row: number, column: number) => `${row} ${column}`;

/** The cells of a file, with each error beside its cell. A corrected cell is read again at once. */
export function CellTable({ rows, problems, name, delimiter, headerRow, onChanged }: CellTableNeeds) {
  const [isAsked, setAsked] = useState(false);
  // When the last problem is corrected, the rows must not all disappear.
  const isAll = isAsked || problems.length === 0;
  const header = rows[headerRow - 1] ?? [];
  const badRows = new Set(problems.map(({ row }) => row));
  const wanted = rows
    .map((cells, index) => ({ cells, row: index + 1 }))
    .filter(({ row }) => row > headerRow && (isAll || badRows.has(row)));
  const chosen = wanted.slice(0, shownRows);
  // What is typed, and what was corrected and is still being read. Without it, the page would put the old text back into
  // a cell whenever it is shown anew: when another correction was read, or when the session has ended.
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const corrected = useRef(new Set<string>());
  useEffect(() => {
    const known = corrected.current;
    corrected.current = new Set();
    setTyped((before) => new Map([...before].filter(([place]) => !known.has(place))));
  }, [rows]);
  const textAt = (row: number, column: number, text: string) => typed.get(placeOf(row, column)) ?? text;
  const rowsWith = (more: ReadonlyMap<string, string> = new Map()) =>
    rows.map((cells, index) =>
      cells.map((text, column) => more.get(placeOf(index + 1, column)) ?? textAt(index + 1, column, text)),
    );
  const problemAt = (row: number, column: number) =>
    problems.find((one) => one.row === row && (one.column === header[column] || one.column === ""));
  const type = (row: number, column: number, text: string) =>
    setTyped((before) => new Map(before).set(placeOf(row, column), text));
  const change = (row: number, column: number, text: string) => {
    type(row, column, text);
    corrected.current.add(placeOf(row, column));
    onChanged(fileOf(rowsWith(new Map([[placeOf(row, column), text]])), delimiter));
  };
  return (
    <section aria-labelledby="cells-title">
      <header class="bar">
        <h2 id="cells-title">{say("import.cells")}</h2>
        <span class="actions">
          {problems.length === 0 ? null : (
            <button type="button" class="small" aria-pressed={isAll} onClick={() => setAsked((before) => !before)}>
              {say("import.allRows")}
            </button>
          )}
          <button type="button" class="small" onClick={() => download(fileOf(rowsWith(), delimiter), name)}>
            {say("import.download")}
          </button>
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scroll" tabIndex={0} aria-label={name}>
        <table class="list">
          <thead>
            <tr>
              <th class="number">#</th>
              {header.map((text, column) => (
                <th key={column}>{text}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chosen.map(({ cells, row }) => (
              <tr key={row}>
                <th scope="row" class="number">
                  {row}
                </th>
                {cells.map((text, column) => {
                  const problem = problemAt(row, column);
                  return (
                    <td key={column} data-label={header[column]} class={problem === undefined ? undefined : "bad-cell"}>
                      <input
                        aria-label={`${header[column] ?? ""} ${row}`}
                        aria-invalid={problem !== undefined}
                        title={problem?.text}
                        value={textAt(row, column, text)}
                        onInput={(event) => type(row, column, event.currentTarget.value)}
                        onChange={(event) => change(row, column, event.currentTarget.value)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {wanted.length > chosen.length ? (
        <p class="quiet">{say("import.moreRows", { count: wanted.length - chosen.length })}</p>
      ) : null}
    </section>
  );
}

/** UTF-8 with a byte-order mark, so that a spreadsheet program detects the encoding. */
const fileOf = (rows: readonly (readonly string[])[], delimiter: string): Blob =>
  new Blob([
    "\ufeff",
    rows.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter)).join("\r\n"),
    "\r\n",
  ]);

const quoted = (cell: string, delimiter: string): string =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

function download(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
