import type { EntryPage } from "../../../src/engine/journal-view/journal-overview.ts";
import { address, pathTo } from "../../address.ts";
import { say, sayEvent } from "../../say.ts";
import { Link, PageLinks } from "../link.tsx";
import { Empty, Loaded, useResource } from "../resource.tsx";
import { Moment, StateBadge } from "../small-parts.tsx";

const pageSize = "100";

/** The entries that a filter matches, newest first, page by page. */
export function EntryTable({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const before = address.value.query.get("before");
  const page = { ...(before === null ? {} : { before }), limit: pageSize };
  const resource = useResource<EntryPage>(`admin/journal?${new URLSearchParams({ ...filter, ...page })}`);
  return (
    <Loaded of={resource}>
      {({ entries, nextBefore }) => (
        <>
          {entries.length > 0 ? (
            <Entries entries={entries} />
          ) : (
            <Empty text={say(nextBefore === null ? "entry.none" : "page.empty")} />
          )}
          <PageLinks next={nextBefore} />
        </>
      )}
    </Loaded>
  );
}

function Entries({ entries }: Pick<EntryPage, "entries">) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">{say("entry.number")}</th>
          <th scope="col">{say("entry.orders")}</th>
          <th scope="col">{say("entry.what")}</th>
          <th scope="col">{say("order.state")}</th>
          <th scope="col">{say("entry.received")}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.seq}>
            <th scope="row">
              <Link to={pathTo("entries", entry.seq)}>#{entry.seq}</Link>
            </th>
            <td>
              {entry.orders.map((order) => (
                <Link key={order} to={pathTo("orders", order)}>
                  {order}
                </Link>
              ))}
            </td>
            <td class="break">{sayEvent(entry)}</td>
            <td>
              <StateBadge state={entry.state} />
            </td>
            <td>
              <Moment at={entry.receivedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
