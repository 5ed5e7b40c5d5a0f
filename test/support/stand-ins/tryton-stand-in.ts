import type { ErpAnswer } from "../receivers/http-erp.ts";

/** A move from a bin to the dock. */
export interface StandInMove {
  id: number;
  state: "draft" | "assigned" | "done" | "cancelled";
  quantity: number;
  product: number;
  lot: number | null;
  from_location: number;
  uom: number;
}

const dock = 2;
const session = `Session ${Buffer.from("crossdock:7:token").toString("base64")}`;

/** An error of a business rule, which Tryton answers with status 200. */
class UserError extends Error {}

/**
 * One shipment of Tryton 6.0, as strict as the real one: calls need a session, assigned moves are frozen, records that
 * were deleted answer with an error, and a call in the wrong state changes nothing.
 */
export function trytonStandIn(planned: readonly Omit<StandInMove, "id" | "state">[]) {
  let nextId = 100;
  const own = (values: Omit<StandInMove, "id" | "state">, state: StandInMove["state"]): StandInMove => ({
    ...values,
    id: nextId++,
    state,
  });
  let moves = planned.map((values) => own(values, "assigned"));
  const shipment = { id: 12, state: "assigned", company: 1, warehouse_output: dock };
  const isOpen = ({ state }: StandInMove) => state === "draft" || state === "assigned";
  const read = (ids: unknown): StandInMove[] => {
    const wanted = ids as readonly number[];
    const found = moves.filter(({ id }) => wanted.includes(id));
    if (found.length < wanted.length) throw new UserError("You are not allowed to read these records");
    return found;
  };
  const setState = (ids: unknown, from: readonly string[], state: StandInMove["state"]) => {
    for (const move of read(ids)) if (from.includes(move.state)) move.state = state;
    return null;
  };
  const split = (id: unknown, quantity: unknown) => {
    const [move] = read([id]);
    if (move === undefined || move.quantity <= Number(quantity)) return {};
    moves.push(own({ ...move, quantity: move.quantity - Number(quantity) }, move.state));
    move.quantity = Number(quantity);
    return {};
  };
  const wizards = new Set<unknown>();
  const methods: Readonly<Record<string, (...params: readonly never[]) => unknown>> = {
    "model.stock.shipment.out.search_read": (domain: readonly (readonly unknown[])[]) =>
      domain[0]?.[2] === shipment.id ? [{ ...shipment, "inventory_moves.": structuredClone(moves) }] : [],
    "wizard.stock.move.split.create": () => {
      const id = nextId++;
      wizards.add(id);
      return [id, "start", "end"];
    },
    "wizard.stock.move.split.execute": (
      id: unknown,
      { start }: { start: { quantity: number } },
      _state: unknown,
      { active_id }: { active_id: number },
    ) => {
      if (!wizards.has(id)) throw new UserError("records of Session Wizard that don't exist anymore");
      return split(active_id, start.quantity);
    },
    "model.stock.move.draft": (ids: unknown) => setState(ids, ["assigned"], "draft"),
    "model.stock.move.do": (ids: unknown) => setState(ids, ["draft", "assigned"], "done"),
    "model.stock.move.cancel": (ids: unknown) => setState(ids, ["draft", "assigned"], "cancelled"),
    "model.stock.move.write": (ids: unknown, values: Partial<StandInMove>) => {
      for (const move of read(ids)) {
        if (move.state !== "draft") throw new UserError("you must reset its state to draft");
        Object.assign(move, values);
      }
      return null;
    },
    "model.stock.move.create": ([given]: readonly [Record<string, unknown>]) => {
      const { shipment: document, company, to_location, ...values } = given;
      if (document !== "stock.shipment.out,12" || company !== 1 || to_location !== dock)
        throw new UserError("The value of a required field is missing or wrong");
      const move = own(values as never, "draft");
      moves.push(move);
      return [move.id];
    },
    "model.stock.shipment.out.pick": () => {
      if (shipment.state !== "assigned" && shipment.state !== "waiting") return null;
      for (const move of moves) if (isOpen(move)) move.state = "done";
      shipment.state = "picked";
      return null;
    },
  };
  const answer: ErpAnswer = ({ json, headers }, response) => {
    const { method, params } = json as { readonly method: string; readonly params: readonly never[] };
    if (method === "common.db.login") return { id: 1, result: [7, "token"] };
    const call = methods[method];
    if (headers["authorization"] !== session || call === undefined) {
      response.statusCode = call === undefined ? 403 : 401;
      return {};
    }
    try {
      return { id: 1, result: call(...params) };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { id: 1, error: ["UserError", [error.message, "", null]] };
    }
  };
  return {
    answer,
    shipment,
    moves: () => moves,
    /** What the office does: the open moves are replaced by others, perhaps from another bin. */
    planAnew: (bin: number | null) => {
      const open = moves.filter(isOpen);
      moves = moves.filter((move) => !isOpen(move));
      for (const { id: _gone, state: _old, ...values } of open)
        moves.push(own({ ...values, from_location: bin ?? values.from_location }, "assigned"));
    },
    cancelShipment: () => {
      shipment.state = "cancelled";
      for (const move of moves) if (isOpen(move)) move.state = "cancelled";
    },
    done: (product: number, lot: number | null, bin: number) =>
      moves
        .filter((move) => move.state === "done" && move.product === product)
        .filter((move) => move.lot === lot && move.from_location === bin)
        .reduce((sum, { quantity }) => sum + quantity, 0),
  };
}
