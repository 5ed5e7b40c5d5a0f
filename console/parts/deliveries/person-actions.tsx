import type { PersonDid } from "../../../src/engine/audit/open-action-log.ts";
import { say } from "../../say.ts";
import { useResource } from "../resource.tsx";
import { Moment } from "../small-parts.tsx";

interface Acted {
  readonly at: string;
  readonly operator: string;
  readonly action: PersonDid["action"];
  readonly subject: string;
  readonly reason: string | null;
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
            <Moment at={one.at} /> <b>{one.operator}</b> {say(`did.${one.action}`)}: {one.subject}
            {one.reason === null ? "" : ` (${one.reason})`}
          </li>
        ))}
      </ul>
    </details>
  );
}
