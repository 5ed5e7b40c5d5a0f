import type { Config } from "../../config/config-schema.ts";
import { operationIds, operationRow } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { ruleOfField } from "../../mapping/rule-of-field.ts";
import type { ShownRule } from "../../server/admin/quarantine-routes.ts";

type Options = Readonly<Record<string, unknown>>;

/** Returns the configured rules for these fields of a record of this source; fields without a rule are left out. */
export function mappingRules(
  { connectors }: Pick<Config, "connectors">,
  { source, kind, fields }: { readonly source: string; readonly kind: PushTopic; readonly fields: readonly string[] },
): readonly ShownRule[] {
  const maps = Object.hasOwn(connectors, source) ? mapsFor(connectors[source], kind) : [];
  return [...new Set(fields)].flatMap((field) => {
    for (const { path, map } of maps) {
      const found = ruleOfField(map, field);
      if (found === null) continue;
      const place = ["connectors", source, ...path, "map", ...found.path].join(".");
      return [{ field, place, rule: JSON.stringify(found.rule) ?? "" }];
    }
    return [];
  });
}

/**
 * Finds the mappings for this kind of record. Polls and files name their topic; for a query, the contract defines what
 * it returns.
 */
function mapsFor(options: Options | undefined, kind: PushTopic): { path: readonly string[]; map: unknown }[] {
  const listed = ["poll", "in"].flatMap((name) => {
    const list = options?.[name];
    if (!Array.isArray(list)) return [];
    return list.flatMap((one: Options, index) =>
      one["topic"] === kind ? [{ path: [`${name}[${index}]`], map: one["map"] }] : [],
    );
  });
  const operations = options?.["operations"];
  // The options were checked against the schema of the connector when they were loaded.
  const byId = (typeof operations === "object" && operations !== null ? operations : {}) as Record<string, Options>;
  const queried = operationIds.flatMap((id) =>
    titleOf(id) === servedTitles[kind] && Object.hasOwn(byId, id)
      ? [{ path: ["operations", id], map: byId[id]?.["map"] }]
      : [],
  );
  return [...listed, ...queried];
}

const servedTitles: Partial<Readonly<Record<PushTopic, string>>> = { workOrders: "WorkOrder", items: "Item" };

/**
 * The title of what a query returns. Every schema of the contract is plain JSON Schema, which the type TSchema does not
 * show.
 */
function titleOf(id: (typeof operationIds)[number]): string | undefined {
  const { data } = operationRow(id) as { data?: { title?: string; items?: { title?: string } } };
  return data?.items?.title ?? data?.title;
}
