import {
  type AnyOutcome,
  ListInParts,
  ReadyJson,
  ReadyJsonList,
  type ReadyJsonSlices,
} from "../../operation/outcome.ts";
import type { OpenConnector, Operate } from "../../sdk/connector.ts";
import type { FollowUpOrders } from "../../store/changes/read-follow-ups.ts";

type Operations = OpenConnector["operations"];

/**
 * Adds the follow-up orders of the embedded store to the queries of a connector that serves orders. The external system
 * does not know follow-up orders, so without this nobody would ever pick what was added to a running order.
 */
export function withFollowUps(served: Operations, embedded: Operations, followUps: FollowUpOrders): Operations {
  const { listWorkOrders, findWorkOrderByCode } = served;
  const list: Operate<"listWorkOrders"> = async (input, context) => {
    const outcome = await listWorkOrders?.(input, context);
    // The list is offered only if the connector has it, so there is an outcome.
    if (outcome === undefined || !outcome.ok) return outcome as Awaited<ReturnType<Operate<"listWorkOrders">>>;
    const waiting = followUps.waiting();
    // The data has the same type, with further orders of the same type.
    return (waiting.length === 0 ? outcome : { ...outcome, data: withOrders(outcome.data, waiting) }) as typeof outcome;
  };
  const find: Operate<"findWorkOrderByCode"> = (input, context) => {
    const own = embedded.findWorkOrderByCode;
    const isOwn = own !== undefined && followUps.isOne(input.Code);
    // The query is offered only if the connector has it, as checked below.
    return (isOwn ? own : (findWorkOrderByCode as Operate<"findWorkOrderByCode">))(input, context);
  };
  return {
    ...served,
    ...(listWorkOrders === undefined ? {} : { listWorkOrders: list }),
    ...(findWorkOrderByCode === undefined ? {} : { findWorkOrderByCode: find }),
  };
}

type Data = Extract<AnyOutcome, { ok: true }>["data"];

function withOrders(data: Data, texts: readonly string[]): Data {
  const orders = () => texts.map((text): unknown => JSON.parse(text));
  if (data instanceof ReadyJsonList) return new ReadyJsonList(chained(data.pieces, texts.join(",")));
  if (data instanceof ListInParts) return new ListInParts(continued(data.parts, orders()));
  if (data instanceof ReadyJson) {
    const inner = data.text.trim().slice(1, -1).trim();
    return new ReadyJson(`[${[...(inner === "" ? [] : [inner]), ...texts].join(",")}]`);
  }
  return Array.isArray(data) ? [...data, ...orders()] : data;
}

function* chained(pieces: ReadyJsonList["pieces"], last: string): Generator<string | Uint8Array | ReadyJsonSlices> {
  yield* pieces;
  yield last;
}

async function* continued(parts: AsyncIterable<readonly unknown[]>, last: readonly unknown[]) {
  yield* parts;
  yield last;
}
