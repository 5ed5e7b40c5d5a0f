import { type CallContext, defineConnector, type OpenContext, ok, type PushSource, refuse, Type } from "crossdock/sdk";
import { type Address, queryErp } from "./query-erp.ts";

interface ErpOrder {
  readonly nr: string;
  readonly due: string;
  readonly store: string;
  readonly batch: string | null;
  readonly customer: string;
  readonly lines: readonly { readonly pos: number; readonly item: string; readonly pieces: number }[];
}

/** What Crossdock would do to a list by `map`, in code: dates without a zone and missing members are filled in for you. */
const workOrder = ({ nr, due, store, batch, customer, lines }: ErpOrder) => ({
  ...{ number: nr, dueDate: due, designatedStorageName: store, deliveryNumber: batch, description: customer },
  externalData: JSON.stringify({ customer }),
  requests: lines.map(({ pos, item, pieces }) => ({
    ...{ itemNumber: item, requestedAmount: pieces, requestExternalIdentifier: String(pos) },
  })),
});

export default defineConnector({
  type: "line-erp",
  summary: "An ERP that speaks JSON lines over a plain connection.",
  options: Type.Object({
    host: Type.String({ description: "Where the ERP is." }),
    port: Type.Integer({ description: "Its port.", minimum: 1, maximum: 65_535 }),
    everySeconds: Type.Integer({ description: "How often to ask for cancellations.", minimum: 1, default: 60 }),
  }),
  open: ({ host, port, everySeconds }, context) => {
    const erp: Address = { host, port };
    const query = <Answer>(query: object, { signal }: CallContext) => queryErp<Answer>(erp, query, signal);

    /** Booked once under the entry's id, however often it is tried. Returns the ERP's refusal, which the operator sees. */
    const book = async (bookings: readonly object[], { signal, delivery }: CallContext): Promise<string | null> => {
      const { no = null } = await queryErp<{ no?: string }>(erp, { book: bookings, id: delivery?.entryId }, signal);
      return no;
    };
    // The shares are in the platform's base unit; the amount of the whole step is in the unit of the order's line.
    const picked = async (step: Step, summary: Summary, { findSubject }: CallContext) => {
      const amount = (await findSubject?.(step))?.line?.confirmedAmount;
      return (summary?.containersBreakdown ?? []).map((share) => ({
        ...{ what: "pick", order: step.workOrderNumber, line: step.requestExternalIdentifier, item: step.itemNumber },
        ...{ qty: share.amountToConfirmInBaseUnitOfMeasure, tote: share.containerCode },
        ...{ amount, place: summary?.locationName },
      }));
    };

    return {
      operations: {
        listWorkOrders: async (_, call) => ok((await query<ErpOrder[]>({ query: "orders" }, call)).map(workOrder)),
        findWorkOrderByCode: async ({ Code }, call) => {
          const [found] = await query<ErpOrder[]>({ query: "orders", nr: Code }, call);
          // The compiler knows which results this operation has.
          return found === undefined
            ? refuse("WorkOrderDoesNotExist", `The ERP has no order ${Code}.`)
            : ok(workOrder(found));
        },
        findPutWallOrders: async ({ code }, call) =>
          ok((await query<ErpOrder[]>({ query: "orders", batch: code }, call)).map(workOrder)),
        getItem: async ({ number }, call) => {
          const found = await query<{ title: string; grams: number } | null>({ query: "item", number }, call);
          if (found === null) return refuse("ItemDoesNotExist", `The ERP has no item ${number}.`);
          return ok({ number, name: found.title, weight: found.grams / 1000 });
        },
        getItemImage: async ({ number }, call) => {
          const found = await query<string | null>({ query: "picture", number }, call);
          return found === null ? refuse("ImageDoesNotExist") : ok(found);
        },

        attachWorkOrder: async ({ workOrderNumber, containerCode, isAbandonedOrCancelled }, call) => {
          const what = isAbandonedOrCancelled === true ? "release" : "attach";
          const no = await book([{ what, order: workOrderNumber, tote: containerCode }], call);
          return no === null ? ok(null) : refuse("ContainerAlreadyAttached", no);
        },
        confirmStep: async (step, call) => {
          await book(await picked(step, step.amountToConfirmPickingSummary, call), call);
          return ok({ updateWorkOrderRequest: null });
        },
        confirmCartStep: async (step, call) => {
          await book(await picked(step, step.amountToConfirmSummary, call), call);
          return ok({ updateWorkOrderRequest: null });
        },
        confirmPutWallPlacement: async (
          { workOrderNumber, itemNumber, completedAmount, confirmedLocationName },
          call,
        ) => {
          const piece = { item: itemNumber, qty: completedAmount, place: confirmedLocationName };
          await book([{ what: "pick", order: workOrderNumber, ...piece }], call);
          return ok(null);
        },
        cancelPutWallItem: async ({ workOrderNumber, itemNumber }, call) => {
          await book([{ what: "cancel", order: workOrderNumber, item: itemNumber }], call);
          return ok(null);
        },
        cancelWorkOrderRequest: async ({ workOrderNumber, requestExternalIdentifier, request }, call) => {
          const place = { line: requestExternalIdentifier, item: request?.itemNumber };
          await book([{ what: "cancel", order: workOrderNumber, ...place }], call);
          return ok(null);
        },
        relocateCartContainers: async (moves, call) => {
          const bookings = moves.map(({ containerCode, destinationLocationName, workOrder: { number } }) => ({
            ...{ what: "move", order: number, tote: containerCode, place: destinationLocationName },
          }));
          await book(bookings, call);
          return ok(null);
        },
        changeStatus: async ({ number, status }, call) => {
          await book([{ what: "state", order: number, note: String(status) }], call);
          return ok(null);
        },
      },

      // Crossdock itself reports here what became of a cancellation.
      notices: async (_topic, payload, call) => {
        const { workOrderNumber, requestExternalIdentifier, receipt } = payload as Readonly<Record<string, string>>;
        await book([{ what: "note", order: workOrderNumber, line: requestExternalIdentifier, note: receipt }], call);
        return ok(null);
      },
      source: cancellations(erp, everySeconds * 1000, context),
      check: async () => {
        await queryErp(erp, { query: "item", number: "" });
      },
      close: async () => {},
    };
  },
});

interface Step {
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
}
type Summary =
  | {
      readonly locationName?: string | null;
      readonly containersBreakdown?:
        | readonly { containerCode?: string | null; amountToConfirmInBaseUnitOfMeasure?: number | null }[]
        | null;
    }
  | null
  | undefined;

interface ErpCancellation {
  readonly seq: number;
  readonly order: string;
  readonly line: string;
}

/** Asks for new cancellations again and again. How far it came is stored only when they are on the disk. */
function cancellations(erp: Address, everyMs: number, { timers, connectorState, log }: OpenContext): PushSource {
  return {
    start: (intake) => {
      let isStopped = false;
      let cancel = () => {};
      let turn = Promise.resolve();
      const look = async () => {
        const after = Number(connectorState.read("seen") ?? 0);
        const found = await queryErp<ErpCancellation[]>(erp, { query: "cancellations", after });
        if (found.length === 0) return;
        const taken = await intake({
          ...{ topic: "cancellations", origin: "cancellations of the ERP", badRecords: "quarantine" },
          elements: found.map(({ order, line }) => ({ workOrderNumber: order, requestExternalIdentifier: line })),
        });
        if ("ids" in taken) await connectorState.write("seen", String(found.at(-1)?.seq ?? after));
      };
      const run = () => {
        turn = look()
          .catch((error: unknown) => log.warn({ err: error }, "the ERP could not be asked for cancellations"))
          .then(() => {
            if (!isStopped) cancel = timers.after(everyMs, run);
          });
      };
      run();
      return {
        stop: async () => {
          isStopped = true;
          cancel();
          await turn;
        },
      };
    },
  };
}
