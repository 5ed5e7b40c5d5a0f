import { useState } from "preact/hooks";
import type { AccessView, AlarmsView, ChannelResult } from "../../../src/server/workshop/access-routes.ts";
import { post } from "../../api.ts";
import { say, sayAlarm } from "../../say.ts";
import { may } from "../../session.ts";
import { ReasonField } from "../dialog.tsx";
import { useSubmit } from "../forms/submit.ts";
import { Loaded, useResource } from "../resource.tsx";
import { Code, CopyButton } from "../small-parts.tsx";

const peopleYaml = `console:
  users:
    Vera: { apiKey: "\${VERA_KEY}", role: viewer }
    Otto: { apiKey: "\${OTTO_KEY}", role: operator }
senders:
  shop:
    auth: { kind: apiKey, keys: ["\${SHOP_KEY}"] }
`;
const alarmsYaml = `alarms:
  webhook:
    url: https://chat.example.com/hooks/warehouse
    secrets: ["\${ALERT_SECRET}"]
  off: [quarantine]
`;

/**
 * Shows the lines to write into the file. Keys are neither shown nor typed here: they come from the environment or from
 * files.
 */
function ToWrite({ yaml, about }: { readonly yaml: string; readonly about: string }) {
  return (
    <details>
      <summary>{say("access.write")}</summary>
      <Code text={yaml} label={`${say("access.example")}: ${about}`} />
      <CopyButton text={yaml} label={say("action.copy")} />
    </details>
  );
}

/** Who may do what. */
export function Access() {
  const access = useResource<AccessView>("admin/access", { isLive: false });
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">{say("settings.people")}</h2>
      <p>{say("settings.peopleText")}</p>
      <Loaded of={access}>
        {({ people, oidc, senders, platform }) => (
          <>
            <ul class="plain-list">
              <li>
                {say("access.own")} <span class="badge none">{say("role.admin")}</span>
              </li>
              {people.map(({ name, role, isKeyUsable }) => (
                <li key={name}>
                  <b>{name}</b> <span class="badge none">{say(`role.${role}`)}</span>{" "}
                  {isKeyUsable ? null : <span class="warn-text">{say("access.shortKey")}</span>}
                </li>
              ))}
            </ul>
            {oidc === null ? null : (
              <>
                <h3>{say("access.company")}</h3>
                <p class="break">
                  {oidc.issuer} <code>{oidc.claim}</code>
                </p>
                <ul class="plain-list">
                  {oidc.roles.map(({ role, values }) => (
                    <li key={role}>
                      <span class="badge none">{say(`role.${role}`)}</span>{" "}
                      {values.length === 0 ? "–" : values.join(", ")}
                    </li>
                  ))}
                </ul>
              </>
            )}
            <h3>{say("access.senders")}</h3>
            {senders.length === 0 ? <p class="quiet">{say("access.noSenders")}</p> : null}
            <ul class="plain-list">
              {senders.map(({ name, kind, topics, isEnabled }) => (
                <li key={name}>
                  <b>{name}</b> <code>{kind}</code> {topics?.join(", ") ?? ""}{" "}
                  {isEnabled ? null : <span class="badge warn">{say("access.off")}</span>}
                </li>
              ))}
            </ul>
            <p>
              {say("access.platform")}: <code>{platform}</code>
            </p>
          </>
        )}
      </Loaded>
      <ToWrite yaml={peopleYaml} about={say("settings.people")} />
    </section>
  );
}

/** Which alarms exist, where they are sent, and whether they arrive. */
export function AlarmChannels() {
  const alarms = useResource<AlarmsView>("admin/alarms", { isLive: false });
  return (
    <section aria-labelledby="alarms-title">
      <h2 id="alarms-title">{say("alarms.title")}</h2>
      <Loaded of={alarms}>
        {({ kinds, channels }) => (
          <>
            <p class="wrapped">
              {kinds.map(({ kind, isOn }) => (
                <span key={kind} class={`badge ${isOn ? "good" : "none"}`}>
                  {sayAlarm(kind)}: {say(isOn ? "alarms.on" : "alarms.off")}
                </span>
              ))}
            </p>
            {channels.length === 0 ? <p class="quiet">{say("alarms.noChannel")}</p> : null}
            <ul class="plain-list">
              {channels.map(({ name, to }) => (
                <li key={name}>
                  <b>{name}</b> {to}
                </li>
              ))}
            </ul>
            {channels.length > 0 && may("admin") ? <TestAlarm /> : null}
          </>
        )}
      </Loaded>
      <ToWrite yaml={alarmsYaml} about={say("alarms.title")} />
    </section>
  );
}

function TestAlarm() {
  const [reason, setReason] = useState("");
  const { isBusy, error, submit } = useSubmit();
  const [results, setResults] = useState<readonly ChannelResult[]>([]);
  const send = async () => {
    setResults([]);
    const tested = await post<{ readonly results: readonly ChannelResult[] }>("admin/alarms/test", { reason });
    setResults(tested.results);
  };
  return (
    <>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          submit(send);
        }}
      >
        <ReasonField reason={reason} onReason={setReason} error={error} />
        <button type="submit" disabled={isBusy || reason.trim() === ""}>
          {say("alarms.test")}
        </button>
      </form>
      <div role="status">
        <ul class="plain-list">
          {results.map(({ channel, isSent, detail }) => (
            <li key={channel} class={isSent ? "good-text" : "error"}>
              {isSent ? say("alarms.sent", { channel }) : say("alarms.failed", { channel, detail: detail ?? "" })}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
