import type { QuarantinePageView } from "../../../src/server/admin/quarantine-routes.ts";
import { say } from "../../say.ts";
import { Link } from "../link.tsx";
import { useResource } from "../resource.tsx";

/** Says that an order is in quarantine: whoever looks for it finds it in no list, and must learn why. */
export function QuarantinedOrder({ number }: { readonly number: string }) {
  const asked = new URLSearchParams({ kind: "workOrders", number, limit: "1" });
  const [record] =
    useResource<QuarantinePageView>(number === "" ? null : `admin/quarantine?${asked}`).data?.records ?? [];
  if (record === undefined) return null;
  return (
    <ul class="groups">
      <li class="group">
        <Link to={`quarantine?${new URLSearchParams({ record: String(record.id) })}`} class="plain group-link">
          <span class="grow">
            <span class="badge warn">{say("nav.quarantine")}</span> <b>{record.number}</b> {record.source}
            <span class="text break">{record.problems[0]?.text ?? ""}</span>
          </span>
        </Link>
      </li>
    </ul>
  );
}
