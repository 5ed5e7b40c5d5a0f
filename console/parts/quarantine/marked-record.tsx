import { useLayoutEffect, useRef } from "preact/hooks";
import { type MarkedLine, markedLines, recordLines, withoutReasons } from "./record-lines.ts";

/** A record with notes beside its members. It opens at the first of them. */
export function MarkedRecord(props: {
  readonly text: string;
  readonly label: string;
  readonly isCut: boolean;
  readonly notes: readonly { readonly place: string; readonly note: string }[];
}) {
  const { text, label, isCut, notes } = props;
  const lines = withoutReasons(markedLines(recordLines(text), notes, { isCut }));
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const first = box.current?.querySelector("mark");
    // Only the box: the page stays where the reader is.
    if (box.current && first) box.current.scrollTop = first.offsetTop - box.current.offsetTop - marginAbove;
  }, [text]);
  return (
    <section class="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre class="marked" tabIndex={0} ref={box}>
        {runsOf(lines).map((run) =>
          typeof run === "string" ? run : <Noted key={`${run.path} ${run.notes.join()}`} line={run} />,
        )}
        {isCut ? "…" : null}
      </pre>
    </section>
  );
}

const marginAbove = 60;

function Noted({ line }: { readonly line: MarkedLine }) {
  return (
    <>
      <mark>{`${line.text}\n`}</mark>
      {line.notes.map((note) => (
        <span key={note} class="note">{`${note}\n`}</span>
      ))}
    </>
  );
}

/** Lines without notes as one text each: a record may have thousands. */
function runsOf(lines: readonly MarkedLine[]): readonly (string | MarkedLine)[] {
  const runs: (string | MarkedLine)[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (line.notes.length > 0) runs.push(line);
    else if (typeof last === "string") runs[runs.length - 1] = `${last}${line.text}\n`;
    else runs.push(`${line.text}\n`);
  }
  return runs;
}
