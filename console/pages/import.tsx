import { useEffect, useRef, useState } from "preact/hooks";
import type { FilePreview } from "../../src/formats/import/preview-file.ts";
import type { ShownConfig } from "../../src/server/workshop/config-editor.ts";
import { address, routeUrl, setFilters } from "../address.ts";
import { postFile, Refusal } from "../api.ts";
import { reachedBy } from "../live.ts";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Code } from "../parts/small-parts.tsx";
import { ApplyChange } from "../parts/workshop/apply-change.tsx";
import { CellTable } from "../parts/workshop/cell-table.tsx";
import { say, sayNumber } from "../say.ts";
import { may, session } from "../session.ts";

const kinds = ["workOrders", "items"] as const;

/** Shows how a file would be read. Nothing is imported. */
export function Import() {
  const kind = kinds.find((one) => one === address.value.query.get("kind")) ?? "workOrders";
  const [file, setFile] = useState<{ readonly name: string; readonly bytes: Blob } | null>(null);
  const [preview, setPreview] = useState<FilePreview | null>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** Counts the files, so that what was typed about one of them is not shown in the next. */
  const nth = useRef(0);
  const reading = useRef(new AbortController());
  const read = (name: string, bytes: Blob, of: string = kind) => {
    // An answer about an earlier state of the file would replace what was corrected since.
    reading.current.abort();
    reading.current = new AbortController();
    const { signal } = reading.current;
    setFile({ name, bytes });
    setError("");
    setBusy(true);
    postFile<FilePreview>(`admin/files/preview?${new URLSearchParams({ kind: of, name })}`, bytes, signal)
      .then(setPreview)
      .catch((problem: Error) => {
        if (signal.aborted) return;
        // The session ended while the file was on its way, and somebody has signed in again before its answer came.
        if (problem instanceof Refusal && problem.status === 401 && session.value !== null) {
          read(name, bytes, of);
          return;
        }
        setPreview(null);
        setError(problem.message);
      })
      .finally(() => {
        if (!signal.aborted) setBusy(false);
      });
  };
  const choose = async (given: File | undefined) => {
    if (given === undefined) return;
    const mine = nth.current + 1;
    nth.current = mine;
    reading.current.abort();
    // Until this file is read, cells of the one before it would stand under its name.
    setPreview(null);
    setFile(null);
    setError("");
    setBusy(true);
    // Into memory at once: a file that is changed on the disk later cannot be sent any more.
    const bytes = await given.arrayBuffer().catch(() => null);
    if (mine !== nth.current) return;
    if (bytes !== null) return read(given.name, new Blob([bytes]));
    setBusy(false);
    setError(say("import.unreadable"));
  };
  const reached = reachedBy.value;
  useEffect(() => {
    // What was corrected while nobody was signed in, or the adapter was away, is in the file and was never read.
    if (file !== null && error !== "" && session.value !== null) read(file.name, file.bytes);
  }, [reached]);
  return (
    <>
      <h1>{say("nav.import")}</h1>
      <div class="bar">
        <label>
          {say("import.kind")}{" "}
          <select
            value={kind}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setFilters({ kind: value });
              if (file !== null) read(file.name, file.bytes, value);
            }}
          >
            {kinds.map((one) => (
              <option key={one} value={one}>
                {say(`import.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <a href={routeUrl(`admin/files/template?kind=${kind}`).href} download>
          {say("import.template")}
        </a>
      </div>
      <label
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void choose(event.dataTransfer?.files[0]);
        }}
      >
        {say("import.drop")}
        {/* The browser's own button is in the language of the browser, which may be another one. */}
        <span class="button" aria-hidden="true">
          {say("import.choose")}
        </span>
        <input
          class="hidden"
          type="file"
          accept=".csv,.json,.txt,text/csv,application/json"
          onChange={({ currentTarget }) => {
            void choose(currentTarget.files?.[0]);
            // Otherwise the browser ignores the same file when it is chosen again after a correction.
            currentTarget.value = "";
          }}
        />
        {file === null ? null : <b class="break">{file.name}</b>}
        <span class="quiet">{say("import.hint")}</span>
      </label>
      {isBusy ? <p role="status">{say("state.loading")}</p> : null}
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {preview === null || file === null ? null : (
        <Reading key={nth.current} preview={preview} name={file.name} onChanged={(bytes) => read(file.name, bytes)} />
      )}
    </>
  );
}

function Reading(props: {
  readonly preview: FilePreview;
  readonly name: string;
  readonly onChanged: (bytes: Blob) => void;
}) {
  const { preview, name } = props;
  const { detected, problems, problemCount, rows } = preview;
  return (
    <>
      <p role="status" class={preview.ok ? "good-text" : "error"}>
        {preview.ok ? say("import.ok", { count: sayNumber(preview.recordCount) }) : preview.message}
      </p>
      {problemCount === 0 ? null : (
        <>
          <h2>{say("import.problems", { count: sayNumber(problemCount) })}</h2>
          <ul class="plain-list">
            {problems.map(({ row, column, text }) => (
              <li key={`${row} ${column} ${text}`}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {detected === null ? null : <Detected preview={preview} />}
      {rows === null && problemCount > 0 && detected?.kind === "csv" ? (
        <p class="quiet">{say("import.tooLong")}</p>
      ) : null}
      {rows === null || detected?.delimiter === undefined ? null : (
        <CellTable
          {...{ rows, problems, name }}
          delimiter={detected.delimiter}
          headerRow={detected.headerRow ?? 1}
          onChanged={props.onChanged}
        />
      )}
      {preview.records.length === 0 ? null : (
        <details>
          <summary>{say("import.records")}</summary>
          <Code label={say("import.records")} text={JSON.stringify(preview.records.slice(0, 10))} />
        </details>
      )}
      {detected?.kind === "csv" && may("admin") ? <SaveProfile preview={preview} name={name} /> : null}
    </>
  );
}

/** An example says it in every language. */
const sampleDates = { dmy: "31.01.2030", mdy: "01/31/2030", ymd: "2030-01-31" } as const;

function Detected({ preview }: { readonly preview: FilePreview }) {
  const { detected } = preview;
  if (detected === null) return null;
  const { encoding, delimiter, decimalSign, dateOrder, confidence, columns } = detected;
  const facts = [
    [say("import.encoding"), encoding],
    [say("import.delimiter"), delimiter === "\t" ? "Tab ⇥" : delimiter],
    [say("import.decimal"), decimalSign],
    [say("import.dates"), dateOrder === undefined ? undefined : sampleDates[dateOrder]],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  return (
    <section aria-labelledby="detected-title">
      <h2 id="detected-title">
        {say("import.detected")}{" "}
        <span class="badge none">{say("import.sure", { percent: Math.round(confidence * 100) })}</span>
      </h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {columns.length === 0 ? null : (
        <p class="wrapped">
          {say("import.columns")}:{" "}
          {columns.map(({ header, field }) => (
            <span key={header} class={`badge ${field === null ? "warn" : "good"}`}>
              {header} → {field ?? say("import.unused")}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

/** Saves the detected format as a profile, so that the next file of this system is read in the same way. */
function SaveProfile({ preview, name }: { readonly preview: FilePreview; readonly name: string }) {
  const config = useResource<ShownConfig>("admin/config", { isLive: false });
  const [profileName, setProfileName] = useState(name.replace(/\.[^.]*$/, ""));
  const { detected } = preview;
  if (detected === null) return null;
  const { columns, delimiter, encoding, decimalSign, dateOrder } = detected;
  const used = columns.flatMap(({ header, field }) => (field === null ? [] : [[header, field] as const]));
  const profile = {
    name: profileName,
    columns: Object.fromEntries(used),
    ...{ delimiter, encoding, decimalSign, dateOrder },
  };
  return (
    <details>
      <summary>{say("import.profile")}</summary>
      <label>
        {say("import.profileName")}
        <input value={profileName} onInput={(event) => setProfileName(event.currentTarget.value)} />
      </label>
      <Loaded of={config}>
        {(shown) => {
          const known = shown.values.find(({ path }) => path.join(".") === "files.profiles")?.value;
          const profiles: readonly { readonly name?: string }[] = Array.isArray(known) ? known : [];
          const isKnown = profiles.some((one) => one.name === profileName);
          const value = isKnown
            ? profiles.map((one) => (one.name === profileName ? profile : one))
            : [...profiles, profile];
          const changes = [{ path: ["files", "profiles"], value }];
          return <ApplyChange changes={changes} shown={shown} onApplied={config.reload} onUndone={config.reload} />;
        }}
      </Loaded>
    </details>
  );
}
