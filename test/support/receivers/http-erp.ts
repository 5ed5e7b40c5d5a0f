import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { openHttp } from "../../../src/connectors/http/connector.ts";
import type { HttpOptions } from "../../../src/connectors/http/options/options.ts";
import type { QueryId } from "../../../src/contract/operations.ts";
import { Fault } from "../../../src/operation/fault.ts";
import type { AnyOutcome } from "../../../src/operation/outcome.ts";
import type { CallContext, OpenContext, Operate } from "../../../src/sdk/connector.ts";
import { openContext } from "../connectors/open-context.ts";
import { type ReceivedRequest, receiver } from "./receiver.ts";

export interface ErpRequest extends ReceivedRequest {
  readonly pathname: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
}

/** How an ERP on the loopback address answers: the returned JSON, or whatever the test writes itself. */
export type ErpAnswer = (request: ErpRequest, response: ServerResponse, position: number) => unknown;

export const answered = Symbol("the test has answered itself");

/** An ERP on the loopback address and the connector to it. `options` may leave out the address. */
export async function httpErp(options: Partial<HttpOptions>, answer: ErpAnswer, given: Partial<OpenContext> = {}) {
  const requests: ErpRequest[] = [];
  const { url, connections } = await receiver((response, request, position) => {
    const address = new URL(request.path, "http://erp.example");
    const text = request.body.toString();
    const read: ErpRequest = {
      ...request,
      pathname: address.pathname,
      query: Object.fromEntries(address.searchParams),
      json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined,
    };
    requests.push(read);
    const said = answer(read, response, position);
    if (said === answered) return;
    response.writeHead(response.statusCode, { "content-type": "application/json" }).end(JSON.stringify(said ?? {}));
  });
  const baseUrl = new URL("/", url).origin;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const connector = openHttp({ baseUrl, ...options }, { ...openContext(given), resolve });
  onTestFinished(() => connector.close());
  const query = async (id: QueryId, input: unknown = {}, context: Partial<CallContext> = {}): Promise<AnyOutcome> => {
    // The type of all operations together cannot express that each gets its own input.
    const operate = connector.operations[id] as Operate<QueryId> | undefined;
    if (operate === undefined) throw new Error(`${id} is not offered`);
    return operate(input as never, { language: "en", signal: new AbortController().signal, ...context });
  };
  const faultOf = async (work: Promise<unknown>): Promise<Fault> => {
    const thrown = await work.then(
      (outcome) => new Error(`no fault but ${JSON.stringify(outcome)}`),
      (error: unknown) => error,
    );
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  };
  return { connector, requests, connections, baseUrl, query, faultOf };
}

/** Field rules for the orders below. */
export const orderMap = {
  number: "DocNum",
  dueDate: "Due",
  requests: { each: "Lines", map: { itemNumber: "Item", requestedAmount: "Qty" } },
};
export const erpOrder = (number: string, members: object = {}) => ({
  DocNum: number,
  Due: "2026-03-01",
  Lines: [{ Item: "00420", Qty: 2 }],
  ...members,
});
