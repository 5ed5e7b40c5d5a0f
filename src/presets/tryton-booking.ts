/** A call of Tryton's JSON-RPC. */
export const trytonCall = (method: string, params: readonly unknown[]) => ({
  method: "POST",
  path: "/",
  body: { id: 1, method, params },
});

const moveFields = ["state", "quantity", "product", "lot", "from_location", "uom"];

/** The shipment as it is now, with its moves from the bins to the dock. */
const readShipment = {
  name: "shipment",
  ...trytonCall("model.stock.shipment.out.search_read", [
    [["id", "=", "{mapped.id}"]],
    ...[0, 1, null],
    ["state", "company", "warehouse_output", ...moveFields.map((name) => `inventory_moves.${name}`)],
    {},
  ]),
  map: { id: { from: "order.externalIdentifier", number: true } },
  expect: "= $count(answer.result) = 1",
};

const found = `
  $shipment := steps.shipment.result[0];
  $keyOf := function($move) { $move.product & "/" & ($move.lot ? $move.lot : 0) & "/" & $move.from_location };
  $isOpen := function($move) { $move.state in ["draft", "assigned"] };
`;

/**
 * What has to become done moves so that as much is booked of this line as was picked of it in all. It is decided by what is
 * booked already, not by what this event says: Tryton has no idempotency key, and a step that arrives twice finds nothing
 * left to book. Tryton refuses more decimals than the unit has, so the total is rounded, never its parts. Moves of the line's own bin come first; after planning anew in the office there may be others.
 */
const plan = `${found}
  $parts := $split(line.requestExternalIdentifier, "/");
  $lot := $number($parts[1]);
  $bin := $number($parts[2]);
  $moves := $shipment.\`inventory_moves.\`[product = $number($parts[0])];
  $isMine := function($move) { $keyOf($move) = line.requestExternalIdentifier };
  $done := $sum([0, $moves[state = "done" and $isMine($)].quantity]);
  $need := $round($round(line.pickedAmount / line.data.per, line.data.digits) - $done, 6);
  $open := $moves[$isOpen($)];
  $hasLot := function($move) { ($move.lot ? $move.lot : 0) = $lot };
  $ranked := [$open[$isMine($)], $open[$hasLot($) and $not($isMine($))], $open[$not($hasLot($))]];
  $taken := $reduce($ranked, function($so, $move) {
    $so.left <= 0 ? $so : (
      $quantity := $min([$so.left, $move.quantity]);
      {
        "left": $round($so.left - $quantity, 6),
        "jobs": $append($so.jobs, {
          "id": $move.id, "uom": $move.uom, "quantity": $quantity,
          "isPart": $quantity < $move.quantity, "isElsewhere": $not($isMine($move))
        })
      }
    )
  }, { "left": $need, "jobs": [] });
`;
const planned = (what: string) => `= (${plan} ${what})`;

/** The office has planned the shipment anew, so that the moves have gone. */
const startOverWhen = [{ path: "error[0]", equals: "UserError" }];

const partly = "$taken.jobs[isPart]";
const elsewhere = "$taken.jobs[isElsewhere]";

/** Books a step: splits a move that was picked in part, corrects the bin, and does the moves. */
export const bookStep = {
  steps: [
    readShipment,
    { name: "wizard", each: planned(partly), ...trytonCall("wizard.stock.move.split.create", [{}]) },
    {
      name: "split",
      startOverWhen,
      each: planned(partly),
      ...trytonCall("wizard.stock.move.split.execute", [
        "{steps.wizard[0].result[0]}",
        { start: { count: 1, quantity: "{item.quantity}", uom: "{item.uom}" } },
        "split",
        { active_model: "stock.move", active_id: "{item.id}", active_ids: ["{item.id}"] },
      ]),
    },
    {
      name: "release",
      startOverWhen,
      when: planned(`$exists(${elsewhere})`),
      map: { ids: planned(`[${elsewhere}.id]`) },
      ...trytonCall("model.stock.move.draft", ["{mapped.ids}", {}]),
    },
    {
      name: "place",
      startOverWhen,
      when: planned(`$exists(${elsewhere})`),
      map: {
        ids: planned(`[${elsewhere}.id]`),
        values: planned('{ "from_location": $bin, "lot": $lot = 0 ? null : $lot }'),
      },
      ...trytonCall("model.stock.move.write", ["{mapped.ids}", "{mapped.values}", {}]),
    },
    {
      // More than is planned, or the shipment was cancelled meanwhile: the goods have left the bin all the same.
      name: "extra",
      when: planned("$taken.left > 0"),
      map: {
        move: planned(`{
          "shipment": "stock.shipment.out," & $shipment.id, "company": $shipment.company,
          "product": $number($parts[0]), "lot": $lot = 0 ? null : $lot, "uom": line.data.uom, "quantity": $taken.left,
          "from_location": $bin, "to_location": $shipment.warehouse_output
        }`),
      },
      ...trytonCall("model.stock.move.create", [["{mapped.move}"], {}]),
    },
    {
      name: "book",
      startOverWhen,
      when: planned("$need > 0"),
      map: { ids: planned("[$taken.jobs.id, steps.extra.result]") },
      ...trytonCall("model.stock.move.do", ["{mapped.ids}", {}]),
    },
  ],
};

const cancelled = (keys: string) =>
  `= (${found} $keys := ${keys}; [$shipment.\`inventory_moves.\`[$isOpen($) and $keyOf($) in $keys].id])`;
const cancelMoves = (keys: string) => ({
  name: "cancel",
  startOverWhen,
  when: cancelled(keys),
  map: { ids: cancelled(keys) },
  ...trytonCall("model.stock.move.cancel", ["{mapped.ids}", {}]),
});

/** The shelf was empty: what is left of the line is not picked any more. */
export const cancelLine = { steps: [readShipment, cancelMoves("[requestExternalIdentifier]")] };

const ownKeys = "[lines.requestExternalIdentifier]";

/**
 * The shipment is picked when nothing of it is open but what this order leaves. Tryton would book every open move as
 * picked, so they are cancelled first; a follow-up order may still hold some.
 */
export const finishOrder = {
  steps: [
    readShipment,
    cancelMoves(ownKeys),
    {
      name: "pick",
      when: `= (${found}
        $moves := $shipment.\`inventory_moves.\`;
        $keys := ${ownKeys};
        $left := $moves[$isOpen($) and $not($keyOf($) in $keys)];
        $shipment.state in ["assigned", "waiting"] and $not($exists($left)) and $exists($moves[state = "done"])
      )`,
      ...trytonCall("model.stock.shipment.out.pick", [["{steps.shipment.result[0].id}"], {}]),
    },
  ],
};
