import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { migrate as migrateJournal, newestJournal } from "../../journal/sqlite/migrations.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";

/** Thrown when a change was recorded in tables that only a newer program knows. */
class LayoutUnknown extends Error {
  override readonly name = "LayoutUnknown";
}

/**
 * Returns the version of the tables: that of the journal and that of the projection, such as `12.5`. Changes to the
 * tables themselves are not recorded. So every change carries this version, and a copy migrates its tables to it before
 * it applies the change.
 */
export function layoutOf(database: Database, projection: ProjectionModule | undefined): string {
  const journal = database.query("PRAGMA user_version", row({ user_version: integer })).get()?.user_version ?? 0;
  return `${journal}.${projection?.layout?.of(database) ?? 0}`;
}

/** Throws LayoutUnknown if this program does not know the layout. */
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
 * Migrates the tables of a copy to a layout. Null means the newest, for changes that were stored before changes carried
 * a layout. Throws LayoutUnknown if this program does not know the layout.
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
