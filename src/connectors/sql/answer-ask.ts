import type { AskId } from "../../contract/operations.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import { imageKind } from "../../sdk/image.ts";
import { type AnyOutcome, ok, refuse } from "../../sdk/outcome.ts";
import type { Given } from "./bound-statement.ts";
import type { CompiledAsk } from "./compile-ask.ts";
import type { Row } from "./drivers/row-collector.ts";

/** Rows between two turns of the event loop, so that a scan does not wait for a long list. */
const perTurn = 500;

/** What was read, as the outcome of the operation. No row is an answer, too. */
export async function answerAsk(ask: CompiledAsk, records: readonly Row[], given: Given): Promise<AnyOutcome> {
  const [first] = records;
  switch (ask.shape) {
    case "rows":
      return ok(await ask.mapped({ rows: records }));
    case "list": {
      const list = await mappedList(ask, records);
      const isPutWall = ask.id === "findPutWallOrders" && list.length === 0;
      return isPutWall
        ? ok(list, { message: say("orders.put-wall-unknown", { code: shown(given["code"]) }) })
        : ok(list);
    }
    case "image": {
      const image = first === undefined ? null : (Object.values(first)[0] ?? null);
      return image === null || image === "" ? nothing(ask.id, given) : ok(imageText(image));
    }
    case "one":
      return first === undefined ? nothing(ask.id, given) : ok(await ask.mapped(first));
  }
}

async function mappedList(ask: CompiledAsk, records: readonly Row[]): Promise<unknown[]> {
  const list: unknown[] = [];
  for (const record of records) {
    list.push(await ask.mapped(record));
    if (list.length % perTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return list;
}

function nothing(id: AskId, given: Given): AnyOutcome {
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

/** Bytes came as Base64; a text column may hold Base64 itself, some with what browsers put in front of it. */
function imageText(value: unknown): string {
  const text = String(value).replace(/^data:[^,]*,/, "");
  const bytes = decodeBase64(text);
  if (bytes !== null && imageKind(bytes) !== null) return text;
  throw new Fault("rejected", "what stands in the image column is no PNG, JPEG, WebP or GIF");
}
