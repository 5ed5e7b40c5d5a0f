import { useState } from "preact/hooks";
import type { CheckedDeployment } from "../../src/runtime/check/check-deployment.ts";
import type { EarlierConfig, ShownConfig, ShownProblem } from "../../src/server/workshop/config-editor.ts";
import { address, setFilters } from "../address.ts";
import { post } from "../api.ts";
import { useSubmit } from "../parts/forms/submit.ts";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Moment } from "../parts/small-parts.tsx";
import { Access, AlarmChannels } from "../parts/workshop/access.tsx";
import { Problems } from "../parts/workshop/problems.tsx";
import { say, sayText } from "../say.ts";
import { may } from "../session.ts";

/** The configuration in effect: where each value comes from, what is wrong with it, and earlier states of the file. */
export function Settings() {
  const config = useResource<ShownConfig>("admin/config", { isLive: false });
  return (
    <>
      <h1>{say("nav.settings")}</h1>
      <Loaded of={config}>
        {(shown) => (
          <>
            {shown.file === null ? null : (
              <p class="break">
                {say("settings.file")}: <code>{shown.file}</code> {shown.text === "" ? say("settings.noFile") : null}
              </p>
            )}
            {shown.readOnlyBecause === null ? null : (
              <p class="quiet">{say(`connect.readOnly.${shown.readOnlyBecause}`)}</p>
            )}
            <Problems problems={shown.problems} />
            {may("admin") ? <Check /> : null}
            <Values shown={shown} />
            <History
              version={shown.version}
              onBack={config.reload}
              canWrite={shown.readOnlyBecause === null && may("admin")}
            />
          </>
        )}
      </Loaded>
      <Access />
      <AlarmChannels />
    </>
  );
}

function Check() {
  const [found, setFound] = useState<CheckedDeployment | null>(null);
  const { isBusy, error, submit } = useSubmit();
  const check = () => submit(async () => setFound(await post<CheckedDeployment>("admin/config/check", { records: 1 })));
  return (
    <section aria-busy={isBusy}>
      <button type="button" onClick={check} disabled={isBusy}>
        {isBusy ? say("connect.testing") : say("settings.check")}
      </button>
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {found === null ? null : (
        <>
          {found.ok ? (
            <p class="good-text" role="status">
              {say("settings.checkOk")}
            </p>
          ) : null}
          <Problems
            problems={[
              ...found.problems,
              ...found.connectors.flatMap(({ name, errors }) =>
                errors.map((text) => ({ text: `${name}: ${sayText(text)}` })),
              ),
            ]}
          />
          {found.warnings.map((text) => (
            <p key={text} class="warn-text">
              {sayText(text)}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

function Values({ shown }: { readonly shown: ShownConfig }) {
  const { query } = address.value;
  const filter = query.get("filter") ?? "";
  const isAll = query.has("defaults");
  // A hundred defaults would hide the few values that somebody has chosen. A search finds them all.
  const wanted = shown.values.filter(
    ({ path, from }) =>
      path.join(".").toLowerCase().includes(filter.toLowerCase()) && (isAll || filter !== "" || from !== "default"),
  );
  return (
    <section aria-labelledby="values-title">
      <header class="bar">
        <h2 id="values-title">{say("settings.values")}</h2>
        <span class="actions">
          <label class="check">
            <input
              type="checkbox"
              checked={isAll}
              onChange={({ currentTarget }) => setFilters({ defaults: currentTarget.checked ? "1" : null })}
            />{" "}
            {say("settings.defaults")}
          </label>
          <label>
            <span class="hidden">{say("settings.filter")}</span>
            <input
              type="search"
              placeholder={say("settings.filter")}
              value={filter}
              onInput={(event) => setFilters({ filter: event.currentTarget.value })}
            />
          </label>
        </span>
      </header>
      {wanted.length === 0 ? <p class="quiet">{say("settings.none")}</p> : null}
      <table class="list" hidden={wanted.length === 0}>
        <thead>
          <tr>
            <th>{say("settings.name")}</th>
            <th>{say("settings.value")}</th>
            <th>{say("settings.from")}</th>
          </tr>
        </thead>
        <tbody>
          {wanted.map(({ path, value, from, line }) => (
            <tr key={path.join(".")}>
              <th scope="row" class="break">
                <code>{path.join(".")}</code>
              </th>
              <td class="break">
                <code>{typeof value === "string" && value !== "" ? value : JSON.stringify(value)}</code>
              </td>
              <td data-label={`${say("settings.from")}:`} class="line-number">
                {from === "file" && line !== undefined ? say("settings.line", { line }) : say(`settings.${from}`)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function History(props: { readonly version: string; readonly canWrite: boolean; readonly onBack: () => void }) {
  const resource = useResource<{ readonly earlier: readonly EarlierConfig[] }>("admin/config/history", {
    isLive: false,
  });
  const [reason, setReason] = useState("");
  const { isBusy, error, submit } = useSubmit();
  const [problems, setProblems] = useState<readonly ShownProblem[]>([]);
  const back = async () => {
    setProblems([]);
    const body = { version: props.version, reason };
    const result = await post<object | { readonly problems: readonly ShownProblem[] }>("admin/config/back", body);
    if ("problems" in result) return setProblems(result.problems);
    setReason("");
    props.onBack();
    resource.reload();
  };
  return (
    <Loaded of={resource}>
      {({ earlier }) =>
        earlier.length === 0 ? null : (
          <section aria-labelledby="history-title">
            <h2 id="history-title">{say("settings.history")}</h2>
            <ul class="plain-list">
              {earlier.map(({ id, replacedAt, operator, reason: why }) => (
                <li key={id}>
                  <Moment at={replacedAt} /> <b>{operator}</b> {why}
                </li>
              ))}
            </ul>
            {props.canWrite ? (
              <form
                class="bar"
                onSubmit={(event) => {
                  event.preventDefault();
                  submit(back);
                }}
              >
                <label class="grow">
                  {say("act.reason")}
                  <input
                    required
                    maxLength={1000}
                    value={reason}
                    onInput={(event) => setReason(event.currentTarget.value)}
                  />
                </label>
                <button type="submit" disabled={isBusy || reason.trim() === ""}>
                  {say("connect.back")}
                </button>
              </form>
            ) : null}
            <Problems problems={problems} />
            {error === "" ? null : (
              <p class="error" role="alert">
                {error}
              </p>
            )}
          </section>
        )
      }
    </Loaded>
  );
}
