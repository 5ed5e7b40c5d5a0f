import type { BookedAmount } from "../harness/real-system.ts";
import type { TrytonClient, TrytonRow } from "./tryton-client.ts";

/** Orders are in centimetres where Tryton counts in metres. */
const perUnit: Readonly<Record<string, number>> = { Meter: 100 };

interface Move {
  readonly state: string;
  readonly quantity: number;
  readonly "product.": { readonly code: string };
  readonly "uom.": { readonly name: string };
  readonly "lot.": { readonly number: string } | null;
  readonly "from_location.": { readonly code: string };
}

const fields = ["state", "quantity", "product.code", "uom.name", "lot.number", "from_location.code"];

async function readShipments(tryton: TrytonClient) {
  const rows = await tryton.find(
    "stock.shipment.out",
    [],
    ["number", "state", ...fields.map((name) => `inventory_moves.${name}`), "outgoing_moves.quantity"],
  );
  return rows.map((row: TrytonRow) => ({
    number: String(row["number"]),
    state: String(row["state"]),
    // The fields that the request names.
    moves: (row["inventory_moves."] ?? []) as readonly Move[],
  }));
}

/** Every done move from a bin to the dock. */
export async function bookedMoves(tryton: TrytonClient): Promise<readonly BookedAmount[]> {
  const all = await readShipments(tryton);
  return all.flatMap(({ number, moves }) =>
    moves
      .filter(({ state }) => state === "done")
      .map((move) => ({
        order: number,
        item: move["product."].code,
        lot: move["lot."]?.number ?? null,
        location: move["from_location."].code,
        amount: move.quantity * (perUnit[move["uom."].name] ?? 1),
      })),
  );
}

/** Shipments whose state does not fit their moves. */
export async function shipmentFaults(tryton: TrytonClient): Promise<readonly string[]> {
  const all = await readShipments(tryton);
  return all.flatMap(({ number, state, moves }) => {
    const isBegun = moves.some((move) => move.state === "done");
    const isOpen = moves.some((move) => move.state === "draft" || move.state === "assigned");
    if (state === "picked" && isOpen) return [`${number} is picked with open moves`];
    return (state === "assigned" || state === "waiting") && isBegun && !isOpen
      ? [`${number} is worked off, and still ${state}`]
      : [];
  });
}
