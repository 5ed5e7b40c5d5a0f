import type { Connectable, ShownConfig } from "../../src/server/workshop/config-editor.ts";
import { address, pathTo } from "../address.ts";
import { Link } from "../parts/link.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Prose } from "../parts/small-parts.tsx";
import { UndoneNote } from "../parts/workshop/applied-note.tsx";
import { connectionNames, settingsOf } from "../parts/workshop/connection-form.ts";
import { say } from "../say.ts";
import { may } from "../session.ts";

/** The connected systems, and those that can be connected. */
export function Connect() {
  const config = useResource<ShownConfig>("admin/config", { isLive: false });
  return (
    <>
      <h1>{say("nav.connect")}</h1>
      {address.value.query.has("undone") ? <UndoneNote /> : null}
      <h2>{say("connect.now")}</h2>
      <Loaded of={config}>{(shown) => <Connected shown={shown} />}</Loaded>
      {may("admin") ? <Choices /> : <p class="quiet">{say("connect.onlyAdmins")}</p>}
    </>
  );
}

function Choices() {
  const choices = useResource<Connectable>("admin/config/connectable", { isLive: false });
  return (
    <>
      <h2>{say("connect.choose")}</h2>
      <Loaded of={choices}>
        {({ presets, kinds }) => (
          <>
            <h3>{say("connect.presets")}</h3>
            <ul class="cards">
              {presets.map(({ name, title, summary }) => (
                <li key={name}>
                  <Link to={`connect/new?${new URLSearchParams({ preset: name })}`}>{title}</Link>
                  <p class="quiet">
                    <Prose text={summary} />
                  </p>
                </li>
              ))}
            </ul>
            <h3>{say("connect.kinds")}</h3>
            <ul class="cards">
              {kinds.map(({ type, summary }) => (
                <li key={type}>
                  <Link to={`connect/new?${new URLSearchParams({ type })}`}>{type}</Link>
                  <p class="quiet">{summary}</p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function Connected({ shown }: { readonly shown: ShownConfig }) {
  const found = connectorsIn(shown);
  if (found.length === 0) return <p class="quiet">{say("connect.nothing")}</p>;
  return (
    <ul class="cards">
      {found.map(({ name, type, preset }) => (
        <li key={name}>
          <Link to={may("admin") ? pathTo("connect", name) : settingsOf(name)}>{name}</Link>{" "}
          <span class="badge none">{preset ?? type}</span>
        </li>
      ))}
    </ul>
  );
}

function connectorsIn(shown: ShownConfig) {
  const { values } = shown;
  const textAt = (name: string, member: string) => {
    const found = values.find(({ path }) => path[0] === "connectors" && path[1] === name && path[2] === member)?.value;
    return typeof found === "string" ? found : undefined;
  };
  return connectionNames(shown).map((name) => ({
    name,
    type: textAt(name, "type") ?? "",
    preset: textAt(name, "preset"),
  }));
}
