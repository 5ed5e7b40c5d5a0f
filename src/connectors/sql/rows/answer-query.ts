import type { QueryId } from "../../../contract/operations.ts";
import { decodeBase64 } from "../../../kit/base64.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import { type AnyOutcome, imageKind, listOrParts, ok, refuse } from "../../../operation/outcome.ts";
import type { Given } from "../compile/bound-statement.ts";
import type { CompiledQuery } from "../compile/compile-operation.ts";
import type { Row } from "../drivers/database.ts";
import type { Records } from "./row-reader.ts";
import { inPortions } from "./row-store.ts";

/** Records between two turns of the event loop, so that a long list does not delay scans. */
const perTurn = 50;

/** Makes the outcome of the operation from the rows that were read. No rows is an answer too. */
export async function answerQuery(query: CompiledQuery, records: Records, given: Given): Promise<AnyOutcome> {
  switch (query.shape) {
    case "rows":
      return ok(await query.mapped({ rows: await all(records) }));
    case "list": {
      // Only lists of orders are sent in parts; exports have one row per requested order.
      const few = query.isOrders ? undefined : Number.POSITIVE_INFINITY;
      const list = await listOrParts(mappedParts(query, records), few);
      const isPutWall = query.id === "findPutWallOrders" && Array.isArray(list) && list.length === 0;
      return isPutWall
        ? ok(list, { message: say("orders.put-wall-unknown", { code: shown(given["code"]) }) })
        : ok(list);
    }
    case "image": {
      const first = await firstOf(records);
      if (first === undefined) {
        return refuse("ImageDoesNotExist", say("items.unknown", { number: shown(given["number"]) }));
      }
      const image = Object.values(first)[0] ?? null;
      return image === null || image === "" ? nothing(query.id, given) : ok(imageText(image));
    }
    case "one": {
      const first = await firstOf(records);
      return first === undefined ? nothing(query.id, given) : ok(await query.mapped(first));
    }
  }
}

async function all(records: Records): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of records) rows.push(row);
  return rows;
}

async function firstOf(records: Records): Promise<Row | undefined> {
  for await (const first of records) return first;
  return undefined;
}

async function* mappedParts(query: CompiledQuery, records: Records): AsyncGenerator<readonly unknown[]> {
  try {
    for await (const some of inPortions(records, perTurn)) {
      const made: unknown[] = [];
      for (const record of some) made.push(await query.mapped(record));
      yield made;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    records.free();
  }
}

function nothing(id: QueryId, given: Given): AnyOutcome {
  switch (id) {
    case "findWorkOrderByCode":
      return refuse("WorkOrderDoesNotExist", say("orders.unknown-code", { code: shown(given["Code"]) }));
    case "getItem":
      return refuse("ItemDoesNotExist", say("items.unknown", { number: shown(given["number"]) }));
    case "getItemImage":
      return refuse("ImageDoesNotExist", say("items.no-image", { number: shown(given["number"]) }));
    default:
      return ok({ label: "" });
  }
}

const longestShown = 60;
const shown = (code: unknown) => String(code ?? "").slice(0, longestShown);

/** Bytes arrive as Base64; a text column may contain Base64 itself, possibly as a data URL. */
function imageText(value: unknown): string {
  const text = String(value).replace(/^data:[^,]*,/, "");
  const bytes = decodeBase64(text);
  if (bytes !== null && imageKind(bytes) !== null) return text;
  throw new Fault("rejected", "the image column contains no PNG, JPEG, WebP or GIF");
}
