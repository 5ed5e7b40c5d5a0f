import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";

/**
 * A connector of your own. Keep the operations you support and delete the others: the embedded system answers those,
 * or the connector that the configuration names for them under `serve`.
 */
export default defineConnector({
  type: "my-connector",
  summary: "Orders and items of our ERP.",
  options: Type.Object({
    address: Type.String({ description: "Base URL of the ERP, such as https://erp.example.com/api." }),
    token: Type.Optional(
      Type.String({
        description: "A secret: put it in an environment variable and name the variable in the configuration.",
      }),
    ),
  }),
  open: ({ address, token }, { log }) => {
    const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // Every call below passes its headers as a plain object.
        ...(init.headers as Record<string, string> | undefined),
      };
      try {
        return await fetch(address + path, { ...init, headers, redirect: "error" });
      } catch (cause) {
        // "The ERP is down" is a fault: events are retried, queries are answered from the last known data.
        throw new Fault("unreachable", `no connection to ${address}`, { cause });
      }
    };

    return {
      operations: {
        // A query: it changes nothing. Stop when `signal` is aborted, because nobody waits for the answer any more.
        findWorkOrderByCode: async ({ Code }, { signal }) => {
          const answer = await call(`/orders/${encodeURIComponent(Code)}`, { signal });
          // "No such order" is an answer, not a fault. The compiler knows which results this operation has.
          if (answer.status === 404) return refuse("WorkOrderDoesNotExist", `The ERP has no order ${Code}.`);
          if (!answer.ok) throw new Fault("rejected", `the ERP answered ${answer.status}`);
          // The shape that the ERP documents. Check fields that may be missing before you use them.
          const order = (await answer.json()) as { id: string; due: string; lines: { sku: string; pieces: number }[] };
          return ok({
            number: order.id,
            dueDate: order.due,
            requests: order.lines.map(({ sku, pieces }) => ({ itemNumber: sku, requestedAmount: pieces })),
          });
        },

        // An event: it is already in the journal. `entryId` is the same on every attempt, so the ERP can recognise a
        // retry.
        confirmStep: async (step, { signal, delivery }) => {
          const headers = { "idempotency-key": delivery?.entryId ?? "" };
          const answer = await call("/picks", { method: "POST", headers, body: JSON.stringify(step), signal });
          if (answer.status >= 500) throw new Fault("unreachable", `the ERP answered ${answer.status}`);
          if (!answer.ok) throw new Fault("rejected", `the ERP answered ${answer.status}`);
          return ok({ updateWorkOrderRequest: null });
        },
      },

      // `crossdock check` calls this: the error text should say what to do when it fails.
      check: async () => {
        const answer = await call("/");
        if (answer.status === 401) throw new Fault("unreachable", "the ERP refuses the token; check ERP_TOKEN");
      },
      close: async () => log.debug({}, "closed"),
    };
  },
});
