import { pickedAmount } from "./preset.ts";

/** A call of Tryton's JSON-RPC. */
export const trytonCall = (method: string, params: readonly unknown[]) => ({
  method: "POST",
  path: "/",
  body: { id: 1, method, params },
});

const moveFields = ["state", "quantity", "product", "lot", "from_location", "uom"];

/** Reads the current shipment, with its moves from the bins to the dock. */
const readShipment = {
  name: "shipment",
  onlyReads: true,
  ...trytonCall("model.stock.shipment.out.search_read", [
    [["id", "=", "{mapped.id}"]],
    ...[0, 1, null],
    ["state", "_timestamp", "company", "warehouse_output", ...moveFields.map((name) => `inventory_moves.${name}`)],
    {},
  ]),
  map: { id: { from: "order.externalIdentifier", number: true, required: true } },
  expect: "= $count(answer.result) = 1",
};

const found = `
  $shipment := steps.shipment.result[0];
  $keyOf := function($move) { $move.product & "/" & ($move.lot ? $move.lot : 0) & "/" & $move.from_location };
  $isOpen := function($move) { $move.state in ["draft", "assigned"] };
`;

/**
 * Computes which moves must be done so that the booked amount of this line equals the amount picked in total. It
 * depends on what is booked already, not on the event: Tryton has no idempotency key, and a step that arrives twice
 * finds nothing left to book. Tryton refuses more decimals than the unit has, so the total is rounded, never its parts.
 * Moves from the line's own bin come first; if the office has replanned the shipment, there may be others.
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

/**
 * Decided once and kept for later attempts: a plan made anew from the old reading, after more was picked, would take moves
 * for split that are not.
 */
const planStep = {
  name: "plan",
  map: {
    todo: `= (${plan} {
      "need": $need,
      "ids": [$taken.jobs.id],
      "parts": [$taken.jobs[isPart]],
      "elsewhere": [$taken.jobs[isElsewhere].id],
      "place": { "from_location": $bin, "lot": $lot = 0 ? null : $lot },
      "left": $taken.left,
      "same": [
        ["shipment", "=", "stock.shipment.out," & $shipment.id], ["product", "=", $number($parts[0])],
        ["lot", "=", $lot = 0 ? null : $lot], ["from_location", "=", $bin], ["quantity", "=", $taken.left],
        ["state", "=", "draft"], ["id", "not in", [0, $shipment.\`inventory_moves.\`.id]]
      ],
      "extra": {
        "shipment": "stock.shipment.out," & $shipment.id, "company": $shipment.company,
        "product": $number($parts[0]), "lot": $lot = 0 ? null : $lot, "uom": line.data.uom, "quantity": $taken.left,
        "from_location": $bin, "to_location": $shipment.warehouse_output
      }
    })`,
  },
};
const todo = "steps.plan.todo";

/** The office has replanned the shipment, so that the moves do not exist any more. */
const startOverWhen = [{ path: "error[0]", equals: "UserError" }];

const fromElsewhere = { when: `= $count(${todo}.elsewhere) > 0` };
const bookedMoves = {
  when: `= ${todo}.need > 0`,
  map: { ids: `= [${todo}.ids, steps.extra.result]` },
};
/** Books a step: splits a move that was picked in part, corrects the bin, and does the moves. */
export const bookStep = {
  steps: [
    // The amount is required. Without a certain amount nothing would be left to book, and the step would be lost
    // silently.
    { ...readShipment, map: { picked: pickedAmount, ...readShipment.map } },
    planStep,
    { name: "wizard", each: `${todo}.parts`, ...trytonCall("wizard.stock.move.split.create", [{}]) },
    {
      name: "split",
      startOverWhen,
      each: `${todo}.parts`,
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
      ...fromElsewhere,
      ...trytonCall("model.stock.move.draft", [`{${todo}.elsewhere}`, {}]),
    },
    {
      name: "place",
      startOverWhen,
      ...fromElsewhere,
      ...trytonCall("model.stock.move.write", [`{${todo}.elsewhere}`, `{${todo}.place}`, {}]),
    },
    {
      // More was picked than planned, or the shipment was cancelled meanwhile. Either way the goods have left the bin.
      name: "extra",
      when: `= ${todo}.left > 0`,
      ...trytonCall("model.stock.move.create", [[`{${todo}.extra}`], {}]),
      // Cut off by a kill, it would otherwise be made twice, and the first one would stay as a draft.
      alreadyDone: {
        request: trytonCall("model.stock.move.search_read", [`{${todo}.same}`, ...[0, 1, null, ["state"], {}]]),
        when: "= $exists(answer.result[0])",
        answer: '= { "result": [answer.result[0].id] }',
      },
    },
    {
      name: "book",
      startOverWhen,
      ...bookedMoves,
      ...trytonCall("model.stock.move.do", ["{mapped.ids}", {}]),
    },
    {
      // Tryton answers "done" and does nothing if the office has cancelled the shipment since it was read.
      name: "booked",
      onlyReads: true,
      startOverWhen: [...startOverWhen, { when: '= $exists(result[state != "done"])' }],
      ...bookedMoves,
      ...trytonCall("model.stock.move.read", ["{mapped.ids}", ["state"], {}]),
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

/** The shelf was empty: the rest of the line is not picked any more. */
export const cancelLine = { steps: [readShipment, cancelMoves("[requestExternalIdentifier]")] };

const ownKeys = "[lines.requestExternalIdentifier]";

/**
 * The shipment is picked when nothing of it is open except what this order leaves. Tryton would book every open move as
 * picked, so those moves are cancelled first. A follow-up order may still hold some.
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
      // Planned anew by the office since it was read, it would have other open moves, and all of them would be booked.
      startOverWhen: [{ path: "error[0]", equals: "ConcurrencyException" }],
      map: {
        context: `= (${found} { "_timestamp": { "stock.shipment.out," & $shipment.id: $shipment._timestamp } })`,
      },
      ...trytonCall("model.stock.shipment.out.pick", [["{steps.shipment.result[0].id}"], "{mapped.context}"]),
    },
  ],
};
