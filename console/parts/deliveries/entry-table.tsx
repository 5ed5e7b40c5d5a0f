import { useState } from "preact/hooks";
import type { EntryPage } from "../../../src/engine/journal-view/open-overview.ts";
import { pathTo } from "../../address.ts";
import { get } from "../../api.ts";
import { say, sayEvent } from "../../say.ts";
import { Link } from "../link.tsx";
import { Empty, Loaded, useResource } from "../resource.tsx";
import { Moment, StateBadge } from "../small-parts.tsx";

type Entries = EntryPage["entries"];
const pageSize = 100;

/** The entries that a filter matches, newest first, page by page. */
export function EntryTable({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const path = `admin/journal?${new URLSearchParams({ ...filter, limit: String(pageSize) })}`;
  const resource = useResource<EntryPage>(path);
  return <Loaded of={resource}>{(page) => <Pages key={path} first={page} path={path} />}</Loaded>;
}

function Pages({ first, path }: { readonly first: EntryPage; readonly path: string }) {
  const [older, setOlder] = useState<{ entries: Entries; nextBefore: number | null } | null>(null);
  const [error, setError] = useState("");
  const nextBefore = older === null ? first.nextBefore : older.nextBefore;
  if (first.entries.length === 0) return <Empty text={say("entry.none")} />;
  const more = async () => {
    const page = await get<EntryPage>(`${path}&before=${nextBefore}`);
    setOlder((before) => ({ entries: [...(before?.entries ?? []), ...page.entries], nextBefore: page.nextBefore }));
  };
  // The first page is loaded again when something has changed. An entry that has moved to an older page is shown once.
  const oldest = first.entries.at(-1)?.seq ?? 0;
  const entries = [...first.entries, ...(older?.entries ?? []).filter(({ seq }) => seq < oldest)];
  return (
    <>
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
      {nextBefore === null ? null : (
        <button
          type="button"
          onClick={() => {
            more().catch((problem: Error) => setError(problem.message));
          }}
        >
          {say("action.more")}
        </button>
      )}
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
