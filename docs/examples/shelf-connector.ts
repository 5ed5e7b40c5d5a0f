import { Type } from "typebox";
import { defineConnector, Fault, ok, refuse } from "../../src/sdk/index.ts";

/** Serves orders from an ERP with a small JSON interface of its own. */
export const shelf = defineConnector({
  type: "shelf",
  summary: "Orders of the Shelf ERP.",
  options: Type.Object({ address: Type.String({ default: "http://127.0.0.1:9000" }) }),
  open: ({ address = "http://127.0.0.1:9000" }) => {
    const call = async (path: string, init: RequestInit): Promise<Response> => {
      try {
        return await fetch(address + path, init);
      } catch (cause) {
        throw new Fault("unreachable", `no connection to ${address}`, { cause });
      }
    };
    return {
      operations: {
        findWorkOrderByCode: async ({ Code }, { signal }) => {
          const answer = await call(`/orders/${encodeURIComponent(Code)}`, { signal });
          if (answer.status === 404) return refuse("WorkOrderDoesNotExist", `Shelf has no order ${Code}.`);
          if (!answer.ok) throw new Fault("rejected", `Shelf answered ${answer.status}`);
          const order = (await answer.json()) as { id: string; due: string; lines: { sku: string; pieces: number }[] };
          return ok({
            number: order.id,
            dueDate: order.due,
            requests: order.lines.map(({ sku, pieces }) => ({ itemNumber: sku, requestedAmount: pieces })),
          });
        },
        confirmStep: async (step, { signal, delivery }) => {
          const headers = { "content-type": "application/json", "idempotency-key": delivery?.entryId ?? "" };
          const answer = await call("/picks", { method: "POST", headers, body: JSON.stringify(step), signal });
          if (!answer.ok) throw new Fault("rejected", `Shelf answered ${answer.status}`);
          return ok({ updateWorkOrderRequest: null });
        },
      },
      check: async () => {
        await call("/", {});
      },
      close: async () => {},
    };
  },
});
