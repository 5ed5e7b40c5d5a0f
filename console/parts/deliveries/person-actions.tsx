import type { PersonDid } from "../../../src/engine/audit/open-action-log.ts";
import { say, sayTopic } from "../../say.ts";
import { useResource } from "../resource.tsx";
import { Moment } from "../small-parts.tsx";

interface Acted {
  readonly at: string;
  readonly operator: string;
  readonly action: PersonDid["action"];
  readonly subject: string;
  readonly reason: string | null;
}

/** The subject was written down in English; its sentence is known for each action. */
function saySubject({ action, subject }: Pick<Acted, "action" | "subject">): string {
  if (action === "drop" || action === "retry") {
    const [, kind, number = "", source = ""] = /^(\S+) (.*) of (.*?)$/s.exec(subject) ?? [];
    return kind === undefined ? subject : say("did.record", { kind: sayTopic(kind), number, source });
  }
  if (action !== "alarm-test") return subject;
  return subject
    .split(", ")
    .map((one) => {
      const [, channel, result] = /^(.*) (sent|failed)$/s.exec(one) ?? [];
      return channel === undefined ? one : say(result === "sent" ? "did.sent" : "did.failed", { channel });
    })
    .join(", ");
}

/** What people changed here that is not about one entry. */
export function PersonActions() {
  const audit = useResource<{ readonly actions: readonly Acted[] }>("admin/audit");
  if (audit.data === null || audit.data.actions.length === 0) return null;
  return (
    <details>
      <summary>{say("entry.audit")}</summary>
      <ul class="plain-list">
        {audit.data.actions.map((one) => (
          <li key={one.at + one.action + one.subject}>
            <Moment at={one.at} /> <b>{one.operator}</b> {say(`did.${one.action}`)}
            {one.subject === "" ? "" : `: ${saySubject(one)}`}
            {one.reason === null ? "" : ` (${one.reason})`}
          </li>
        ))}
      </ul>
    </details>
  );
}
