import {
  type AnyOutcome,
  ListInParts,
  ReadyJson,
  ReadyJsonList,
  type ReadyJsonSlices,
} from "../../operation/outcome.ts";
import type { OpenConnector, Operate } from "../../sdk/connector.ts";
import type { FollowUpOrders, WaitingFollowUps } from "../../store/changes/read-follow-ups.ts";

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
    if (waiting === null) return outcome;
    // The data has the same type, with further orders of the same type.
    return { ...outcome, data: await withOrders(outcome.data, waiting) } as typeof outcome;
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

async function withOrders(data: Data, { texts, orders }: WaitingFollowUps): Promise<Data> {
  if (data instanceof ReadyJsonList) return new ReadyJsonList(chained(data.pieces, texts()));
  if (data instanceof ListInParts) return new ListInParts(continued(data.parts, orders()));
  if (data instanceof ReadyJson) {
    const inner = data.text.trim().slice(1, -1).trim();
    return new ReadyJsonList(chained(inner === "" ? [] : [inner], texts()));
  }
  if (!Array.isArray(data)) return data;
  const list: unknown[] = [...data];
  for await (const order of orders()) list.push(order);
  return list;
}

type Pieces = ReadyJsonList["pieces"];

function* chained(pieces: Pieces, last: Pieces): Generator<string | Uint8Array | ReadyJsonSlices> {
  yield* pieces;
  yield* last;
}

async function* continued(parts: AsyncIterable<readonly unknown[]>, last: AsyncIterable<unknown>) {
  yield* parts;
  for await (const order of last) yield [order];
}
