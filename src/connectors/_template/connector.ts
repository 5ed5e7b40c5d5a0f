import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";

/**
 * A connector of your own. Offer the operations you have and delete the others: what you do not offer is answered by the
 * embedded system, or by whoever the configuration names under `serve`.
 */
export default defineConnector({
  type: "my-connector",
  summary: "Orders and items of our ERP.",
  options: Type.Object({
    address: Type.String({ description: "Where the ERP answers, such as https://erp.example.com/api." }),
    token: Type.Optional(
      Type.String({ description: "Kept in the environment: the configuration names the variable, never the token." }),
    ),
  }),
  open: ({ address, token }, { log }) => {
    const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // All calls below give them as an object.
        ...(init.headers as Record<string, string> | undefined),
      };
      try {
        return await fetch(address + path, { ...init, headers, redirect: "error" });
      } catch (cause) {
        // "The ERP is down" is a fault: events wait and are tried again, questions are answered from last known data.
        throw new Fault("unreachable", `no connection to ${address}`, { cause });
      }
    };

    return {
      operations: {
        // A question: answered and forgotten. Stop when `signal` says that nobody waits any more.
        findWorkOrderByCode: async ({ Code }, { signal }) => {
          const answer = await call(`/orders/${encodeURIComponent(Code)}`, { signal });
          // "No such order" is an answer. The compiler knows which results this operation has.
          if (answer.status === 404) return refuse("WorkOrderDoesNotExist", `The ERP has no order ${Code}.`);
          if (!answer.ok) throw new Fault("rejected", `the ERP answered ${answer.status}`);
          // What the ERP documents. Check what it may leave out before you rely on it.
          const order = (await answer.json()) as { id: string; due: string; lines: { sku: string; pieces: number }[] };
          return ok({
            number: order.id,
            dueDate: order.due,
            requests: order.lines.map(({ sku, pieces }) => ({ itemNumber: sku, requestedAmount: pieces })),
          });
        },

        // An event: it is in the journal already. `entryId` is the same on every attempt, so the ERP can tell a repeat.
        confirmStep: async (step, { signal, delivery }) => {
          const headers = { "idempotency-key": delivery?.entryId ?? "" };
          const answer = await call("/picks", { method: "POST", headers, body: JSON.stringify(step), signal });
          if (answer.status >= 500) throw new Fault("unreachable", `the ERP answered ${answer.status}`);
          if (!answer.ok) throw new Fault("rejected", `the ERP answered ${answer.status}`);
          return ok({ updateWorkOrderRequest: null });
        },
      },

      // `crossdock check` calls this: say what to do where it does not work.
      check: async () => {
        const answer = await call("/");
        if (answer.status === 401) throw new Fault("unreachable", "the ERP refuses the token; check ERP_TOKEN");
      },
      close: async () => log.debug({}, "closed"),
    };
  },
});
