import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { migrate as migrateJournal, newestJournal } from "../../journal/sqlite/migrations.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";

/** The change was made in tables that only a newer program knows. */
class LayoutUnknown extends Error {
  override readonly name = "LayoutUnknown";
}

/**
 * The version of the tables: that of the journal and that of the projection, such as `12.5`. Changes of the tables
 * themselves are not recorded, so every change carries it, and a copy makes the same step before it applies the change.
 */
export function layoutOf(database: Database, projection: ProjectionModule | undefined): string {
  const journal = database.query("PRAGMA user_version", row({ user_version: integer })).get()?.user_version ?? 0;
  return `${journal}.${projection?.layout?.of(database) ?? 0}`;
}

/** Throws LayoutUnknown if this program does not know it. */
export function refuseUnknownLayout(layout: string | null, projection: ProjectionModule | undefined): void {
  const newest = projection?.layout?.newest ?? 0;
  const [journal = 0, projected = 0] = layout?.split(".").map(Number) ?? [];
  if (journal <= newestJournal && projected <= newest) return;
  throw new LayoutUnknown(
    `the owner is a newer Crossdock (tables ${layout}, this one knows ${newestJournal}.${newest}); ` +
      "this process follows it no more and cannot take over; start the newer Crossdock here, too",
  );
}

/**
 * Brings the tables of a copy to a layout (null: the newest, as of changes that were stored before they carried it);
 * throws LayoutUnknown if this program does not know it.
 */
export function bringToLayout(
  database: Database,
  layout: string | null,
  { projection, options }: { readonly projection: ProjectionModule | undefined; readonly options: unknown },
): void {
  refuseUnknownLayout(layout, projection);
  const newest = projection?.layout?.newest ?? 0;
  const [journal = 0, projected = 0] = layout?.split(".").map(Number) ?? [newestJournal, newest];
  migrateJournal(database, journal);
  if (projection?.layout === undefined) projection?.openProjection(database, options);
  else projection.layout.bringTo(database, projected);
}
