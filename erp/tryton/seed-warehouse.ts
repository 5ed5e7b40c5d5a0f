import type { Random } from "../../src/kit/ids.ts";
import { dateValue, decimal, type TrytonClient, type TrytonRow, type Values } from "./tryton-client.ts";

interface Goods {
  readonly product: number;
  readonly unit: number;
  /** Metres are cut, pieces are counted. */
  readonly isCut: boolean;
  readonly lots: readonly number[];
}

interface Places {
  readonly warehouse: number;
  readonly storage: number;
  readonly output: number;
}

const bins = Array.from({ length: 12 }, (_, index) => `A-${String(index + 1).padStart(2, "0")}-01`);
const pieceItems = 14;
const cutItems = 6;
/** In each of three bins: little enough that some assignments are split over bins, enough for every order of a run. */
const stockPerOrder = 0.9;
const leastStock = 12;

const plain = (id: unknown): number => Number(id);
const byCode = (rows: readonly TrytonRow[], code: string): number => {
  const found = rows.find((row) => row["code"] === code);
  if (found === undefined) throw new Error(`Tryton has no location ${code}`);
  return found.id;
};

/** A company with bins, items in pieces and metres, lots, stock, and assigned shipments. */
export async function seedWarehouse(tryton: TrytonClient, orders: number, random: Random): Promise<void> {
  const { company, currency } = await makeCompany(tryton);
  const locations = await tryton.find("stock.location", [], ["code"]);
  const places = {
    warehouse: byCode(locations, "WH"),
    storage: byCode(locations, "STO"),
    output: byCode(locations, "OUT"),
  };
  const goods = await makeGoods(tryton);
  await makeStock(tryton, { company, places, goods, orders, random });
  await makeShipments(tryton, { company, currency, places, goods, orders, random });
}

async function makeCompany(tryton: TrytonClient) {
  const rates = [["create", [{ date: dateValue(new Date(0)), rate: decimal("1") }]]];
  const euro = { name: "Euro", code: "EUR", symbol: "€", numeric_code: "978", digits: 2, rounding: decimal("0.01") };
  const [currency = 0] = await tryton.create("currency.currency", [{ ...euro, rates }]);
  const [party = 0] = await tryton.create("party.party", [{ name: "Warehouse Ltd" }]);
  const [company = 0] = await tryton.create("company.company", [{ party, currency }]);
  const [person = 0] = await tryton.create("party.party", [{ name: "The floor" }]);
  const [employee = 0] = await tryton.create("company.employee", [{ party: person, company }]);
  await tryton.write("res.user", [tryton.userId], { companies: [["add", [company]]], company });
  await tryton.write("res.user", [tryton.userId], { employees: [["add", [employee]]], employee });
  await tryton.renewContext();
  // Without a prefix a shipment, a sale and a delivery note may all have the number 1.
  const [sequence] = await tryton.find("ir.sequence", [["name", "=", "Customer Shipment"]], ["name"]);
  if (sequence !== undefined) await tryton.write("ir.sequence", [sequence.id], { prefix: "OUT", padding: 6 });
  return { company, currency };
}

async function makeGoods(tryton: TrytonClient): Promise<readonly Goods[]> {
  const units = await tryton.find("product.uom", [["name", "in", ["Unit", "Meter"]]], ["name"]);
  const unitOf = (name: string) => plain(units.find((row) => row["name"] === name)?.id);
  const made: Goods[] = [];
  for (let index = 0; index < pieceItems + cutItems; index++) {
    const isCut = index >= pieceItems;
    const code = isCut ? `CABLE-${index}` : `PART-${index}`;
    const unit = unitOf(isCut ? "Meter" : "Unit");
    const kind = { type: "goods", default_uom: unit, sale_uom: unit, salable: true, cost_price_method: "fixed" };
    const products = [["create", [{ cost_price: decimal("7"), description: `${code} of the test` }]]];
    const record = { name: `Item ${code}`, code, list_price: decimal("12.5"), ...kind, products };
    const [template = 0] = await tryton.create("product.template", [record]);
    const [product] = await tryton.find("product.product", [["template", "=", template]], ["code"]);
    const numbers = index % 4 === 0 ? [`L-${index}-1`, `L-${index}-2`] : [];
    const records = numbers.map((number) => ({ number, product: plain(product?.id) }));
    const lots = records.length === 0 ? [] : await tryton.create("stock.lot", records);
    made.push({ product: plain(product?.id), unit, isCut, lots });
  }
  return made;
}

interface Stock {
  readonly company: number;
  readonly places: Places;
  readonly goods: readonly Goods[];
  readonly orders: number;
  readonly random: Random;
}

/** Each item lies in three bins, in lots where it has some. */
async function makeStock(tryton: TrytonClient, { company, places, goods, orders }: Stock): Promise<void> {
  const names = bins.map((code) => ({ name: code, code, type: "storage", parent: places.storage }));
  const ids = await tryton.create("stock.location", names);
  const contents = ids.map((): Values[] => []);
  for (const [index, { product, lots }] of goods.entries()) {
    const quantity = Math.ceil(orders * stockPerOrder) + leastStock + index;
    for (let copy = 0; copy < 3; copy++) {
      const lot = lots.length === 0 ? null : lots[copy % lots.length];
      contents[(index + copy * 5) % ids.length]?.push({ product, quantity, lot });
    }
  }
  for (const [index, lines] of contents.entries()) {
    const count = { location: ids[index], company, date: dateValue(new Date()), lines: [["create", lines]] };
    const inventory = await tryton.create("stock.inventory", [count]);
    await tryton.press("stock.inventory", "confirm", inventory);
  }
}

interface Shipments extends Stock {
  readonly currency: number;
}

const perCall = 20;

async function makeShipments(tryton: TrytonClient, needs: Shipments): Promise<void> {
  const { company, currency, places, goods, orders, random } = needs;
  const delivered = { name: "Customer", addresses: [["create", [{ street: "Main street 5", city: "Antwerp" }]]] };
  const [customer = 0] = await tryton.create("party.party", [delivered]);
  const [address] = await tryton.find("party.address", [["party", "=", customer]], ["city"]);
  const [party] = await tryton.find("party.party", [["id", "=", customer]], ["customer_location"]);
  const route = { from_location: places.output, to_location: party?.["customer_location"], company, currency };
  const line = ({ product, unit, isCut, lots }: Goods) => ({
    ...{ product, uom: unit, ...route, unit_price: decimal("12.5") },
    quantity: isCut ? random.whole(2, 60) / 4 : random.whole(1, 12),
    lot: lots.length > 0 && random.chance(0.8) ? random.oneOf(lots as readonly [number, ...number[]]) : null,
  });
  const shipment = (index: number) => {
    const lines = Array.from({ length: random.whole(1, 5) }, () =>
      line(goods[random.whole(0, goods.length - 1)] as Goods),
    );
    const head = { customer, delivery_address: address?.id, warehouse: places.warehouse, company };
    const planned_date = dateValue(new Date(Date.now() + random.whole(1, 9) * 86_400_000));
    return { ...head, planned_date, reference: `PO-${index + 1}`, outgoing_moves: [["create", lines]] };
  };
  for (let from = 0; from < orders; from += perCall) {
    const records = Array.from({ length: Math.min(perCall, orders - from) }, (_, index) => shipment(from + index));
    const ids = await tryton.create("stock.shipment.out", records);
    await tryton.press("stock.shipment.out", "wait", ids);
    await tryton.press("stock.shipment.out", "assign_try", ids);
  }
  const left = await tryton.find("stock.shipment.out", [["state", "!=", "assigned"]], ["number", "state"]);
  if (left.length > 0) throw new Error(`${left.length} shipments could not be assigned: too little stock`);
}
