import type { Booking } from "../shift/example-erp.ts";

type Booked = Booking & { readonly id: string };
type Members = Readonly<Record<string, unknown>>;

/** What a file of events means in the books; its form is the one that `crossdock.yaml` gives it. */
export function fileBooking(name: string, content: string): readonly Booked[] {
  if (name.endsWith(".csv")) {
    const [, row = ""] = content.trim().split(/\r?\n/);
    const [id = "", order = "", item = "", qty, place = ""] = row.split(";");
    return [{ id, event: "put", order, item, amount: Number(qty), place }];
  }
  const file = JSON.parse(content) as Members;
  return file["event"] === "pick" ? picks(file) : plain(String(file["entryId"]), String(file["topic"]), file["data"]);
}

function picks(file: Members): readonly Booked[] {
  const totes = file["totes"] as readonly { tote: string; qty: number }[];
  const { id, order, line, from } = file as Readonly<Record<"id" | "order" | "line" | "from", string>>;
  return totes.map(({ tote, qty }) => ({ id, event: "pick", order, line, amount: qty, container: tote, place: from }));
}

function plain(id: string, topic: string, data: unknown): readonly Booked[] {
  // The platform's own body, or the adapter's receipt.
  const body = data as Members;
  const text = (member: string) => String(body[member]);
  const order = text("workOrderNumber");
  switch (topic) {
    case "attachWorkOrder": {
      const event = body["isAbandonedOrCancelled"] === true ? "release" : "attach";
      return [{ id, event, order, container: text("containerCode") }];
    }
    case "cancelPutWallItem":
      return [{ id, event: "cancel item", order, item: text("itemNumber") }];
    case "cancelWorkOrderRequest": {
      const { itemNumber } = body["request"] as { itemNumber: string };
      return [{ id, event: "cancel line", order, line: text("requestExternalIdentifier"), item: itemNumber }];
    }
    case "relocateCartContainers":
      return (data as readonly (Members & { workOrder: { number: string } })[]).map((move) => ({
        ...{ id, event: "move", order: move.workOrder.number },
        ...{ container: String(move["containerCode"]), place: String(move["destinationLocationName"]) },
      }));
    case "changeStatus":
      return [{ id, event: "state", order: text("number"), text: text("status") }];
    case "changeReceipt":
      return [{ id, event: "receipt", order, line: text("requestExternalIdentifier"), text: text("receipt") }];
    default:
      throw new Error(`the ERP got a file that it does not know: ${topic}`);
  }
}
