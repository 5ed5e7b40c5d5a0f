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

/** A record was written since it was read. */
class ConcurrencyException extends Error {}

/** Conditions as `["name", "=", value]`, all of which have to be met. */
const meets = (record: object, domain: readonly (readonly [name: string, how: string, value: unknown])[]): boolean =>
  domain.every(([name, how, value]) => {
    const own = (record as Record<string, unknown>)[name];
    return how === "not in" ? !(value as readonly unknown[]).includes(own) : own === value;
  });

/**
 * One shipment of Tryton 6.0, as strict as the real one: calls need a session, assigned moves cannot be changed,
 * deleted records give an error, and a call in the wrong state changes nothing.
 */
export function trytonStandIn(planned: readonly Omit<StandInMove, "id" | "state">[]) {
  let nextId = 100;
  const own = (values: Omit<StandInMove, "id" | "state">, state: StandInMove["state"]): StandInMove => ({
    ...values,
    id: nextId++,
    state,
  });
  let moves = planned.map((values) => own(values, "assigned"));
  const shipment = { id: 12, state: "assigned", _timestamp: "1.000001", company: 1, warehouse_output: dock };
  const written = () => {
    shipment._timestamp = `${Number(shipment._timestamp) + 1}`;
  };
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
  let callsLeft = Number.POSITIVE_INFINITY;
  let meanwhile = () => {};
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
    "model.stock.move.search_read": (domain: never) =>
      moves
        .filter((move) => meets({ ...move, shipment: "stock.shipment.out,12" }, domain))
        .map(({ id, state }) => ({ id, state })),
    "model.stock.move.read": (ids: unknown) => read(ids).map(({ id, state }) => ({ id, state })),
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
    "model.stock.shipment.out.pick": (_ids: unknown, { _timestamp }: { _timestamp?: Record<string, string> }) => {
      const known = _timestamp?.["stock.shipment.out,12"];
      if (known !== undefined && known !== shipment._timestamp)
        throw new ConcurrencyException("Records were modified in the meanwhile");
      if (shipment.state !== "assigned" && shipment.state !== "waiting") return null;
      for (const move of moves) if (isOpen(move)) move.state = "done";
      shipment.state = "picked";
      return null;
    },
  };
  const answer: ErpAnswer = ({ json, headers }, response) => {
    const { method, params } = json as { readonly method: string; readonly params: readonly never[] };
    if (method === "common.db.login") return { id: 1, result: [7, "token"] };
    if (callsLeft-- === 0) meanwhile();
    const call = methods[method];
    if (headers["authorization"] !== session || call === undefined) {
      response.statusCode = call === undefined ? 403 : 401;
      return {};
    }
    try {
      return { id: 1, result: call(...params) };
    } catch (error) {
      if (error instanceof ConcurrencyException) return { id: 1, error: ["ConcurrencyException", error.message] };
      if (!(error instanceof UserError)) throw error;
      return { id: 1, error: ["UserError", [error.message, "", null]] };
    }
  };
  return {
    answer,
    shipment,
    /** Runs `act` after this many further calls, before the next one. */
    after: (calls: number, act: () => void) => {
      callsLeft = calls;
      meanwhile = act;
    },
    moves: () => moves,
    /** What the office does: replaces the open moves by others, perhaps from another bin. */
    planAnew: (bin: number | null) => {
      const open = moves.filter(isOpen);
      moves = moves.filter((move) => !isOpen(move));
      written();
      for (const { id: _gone, state: _old, ...values } of open)
        moves.push(own({ ...values, from_location: bin ?? values.from_location }, "assigned"));
    },
    /** What the office does: one more move to be picked. */
    addMove: (values: Omit<StandInMove, "id" | "state">) => {
      moves.push(own(values, "assigned"));
      written();
    },
    cancelShipment: () => {
      shipment.state = "cancelled";
      written();
      for (const move of moves) if (isOpen(move)) move.state = "cancelled";
    },
    done: (product: number, lot: number | null, bin: number) =>
      moves
        .filter((move) => move.state === "done" && move.product === product)
        .filter((move) => move.lot === lot && move.from_location === bin)
        .reduce((sum, { quantity }) => sum + quantity, 0),
  };
}
