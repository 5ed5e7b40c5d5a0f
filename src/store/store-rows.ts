import { blob, integer, nullable, real, row, text, textOf } from "../kit/sqlite/row.ts";

export const workOrderRow = row({
  id: integer,
  number: text,
  number_folded: text,
  external_identifier: nullable(text),
  external_identifier_folded: nullable(text),
  alternative_start: nullable(text),
  alternative_start_folded: nullable(text),
  delivery_number: nullable(text),
  delivery_number_folded: nullable(text),
  storage: nullable(text),
  storage_folded: nullable(text),
  state: textOf("waiting", "started", "finished", "cancelled"),
  ended: integer,
  worked: integer,
  due_at: integer,
  received_at: integer,
  json: text,
});
export const itemRow = row({ number: text, folded: text, json: text });
const itemImageRow = row({ number: text, mime: text, bytes: blob });
export const containerRow = row({
  code: text,
  folded: text,
  order_number: nullable(text),
  location: nullable(text),
  changed_at: integer,
});
export const quantityRow = row({
  order_number: text,
  position: integer,
  request_id: nullable(integer),
  external_id: nullable(text),
  item_number: text,
  lot: nullable(text),
  unit: integer,
  intake: nullable(real),
  designated_location: nullable(text),
  factor: nullable(integer),
  requested: real,
  picked: real,
  cancelled: real,
  over_picked: real,
  steps: integer,
  last_steps: nullable(text),
  places: nullable(text),
  cut: real,
  refetch: nullable(text),
});
export const itemFactorRow = row({
  item_number: text,
  unit: integer,
  factor: integer,
  amount: real,
  proven: integer,
});
export const changeRow = row({
  id: integer,
  entry_id: text,
  seq: integer,
  order_number: text,
  external_id: nullable(text),
  item_number: nullable(text),
  lot: nullable(text),
  line_key: nullable(text),
  target: real,
  reason: nullable(text),
  state: textOf("pending", "removed", "applied", "partly", "too-late", "superseded"),
  receipt: textOf("open", "due", "sent", "none"),
  begun: integer,
  offered: integer,
  first_offered_step: nullable(integer),
  settled_step: nullable(integer),
  settled_entry_id: nullable(text),
  picked: nullable(real),
  filed_at: integer,
  settled_at: nullable(integer),
});
export const wantedRow = row({
  order_number: text,
  cancelled_seq: nullable(integer),
  doubtful: integer,
  offered: nullable(text),
  offered_at: nullable(integer),
});
export const wantedPushRow = row({ order_number: text, pushed: text, gone: text });
export const wantedLinesRow = row({ order_number: text, lines: text });
export const servedContentRow = row({ order_number: text, number: integer, lines: text });
export const followUpRow = row({ id: integer, order_number: text, number: text });
export const announcedExcessRow = row({ order_number: text, item_number: text, amount: real });
export const lastModelRow = row({ order_number: text, lines: text });
export const stepAmountsRow = row({ id: integer, order_number: text, entry_id: text, lines: text, whole: integer });
export const orderStatusRow = row({
  id: integer,
  order_number: text,
  status: integer,
  entry_id: text,
  changed_at: integer,
});
export const relocationRow = row({
  id: integer,
  container_code: text,
  order_number: text,
  location: text,
  requests: text,
  entry_id: text,
  moved_at: integer,
});

export const containerShareRow = row({ order_number: text, code: text, position: integer, amount: real });

/** By table name; a test compares each with the table in SQLite. */
export const storeRows = {
  work_order: workOrderRow,
  known_order: row({ number: text, folded: text }),
  item: itemRow,
  item_image: itemImageRow,
  stock: row({ item_number: text, location_name: text, lot_number: text, amount: real, as_of: integer }),
  indexable_value: row({ number: text, value: text }),
  container: containerRow,
  quantity: quantityRow,
  item_factor: itemFactorRow,
  change: changeRow,
  wanted: wantedRow,
  wanted_push: wantedPushRow,
  wanted_lines: wantedLinesRow,
  served_content: servedContentRow,
  follow_up: followUpRow,
  announced_excess: announcedExcessRow,
  last_model: lastModelRow,
  step_amounts: stepAmountsRow,
  order_status: orderStatusRow,
  relocation: relocationRow,
  container_share: containerShareRow,
  finished: row({ order_number: text, code: text, entry_id: text }),
  embedded_migration: row({ number: integer }),
};
