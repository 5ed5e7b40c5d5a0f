import { describe, expect, test } from "vitest";
import { operationRow } from "../../contract/operations.ts";
import { shapeOfSchema } from "../source/source-shape.ts";
import { expression } from "./expression.ts";
import { unknownNames } from "./expression-names.ts";

const here = shapeOfSchema(operationRow("confirmStep").body);

const event = {
  workOrderNumber: "4711",
  itemNumber: "000420",
  itemNames: [
    { languageIsoCode: "de", name: "Schraube", isDefault: true },
    { languageIsoCode: "en", name: "screw", isDefault: false },
  ],
  amountToConfirmPickingSummary: {
    locationName: "A-01",
    containersBreakdown: [
      { containerCode: "C1", amountToConfirmInBaseUnitOfMeasure: 2, itemUnitOfMeasure: 0 },
      { containerCode: "C2", amountToConfirmInBaseUnitOfMeasure: 3, itemUnitOfMeasure: 0 },
    ],
  },
  updateWorkOrderRequest: { id: 1, itemRequests: [{ itemNumber: "000815", lotNumber: "L1" }] },
  // The platform may send what the contract does not define.
  serial: { number: "S1" },
};

const problems = (ast: unknown) => unknownNames(ast, { here, variables: { root: here } }).map(({ text }) => text);

const shares = "amountToConfirmPickingSummary.containersBreakdown";
const amount = "amountToConfirmInBaseUnitOfMeasure";

describe("a correct expression has a value and is accepted", () => {
  test.each([
    [`$sum($map(${shares}, function($c) { $c.${amount} }))`, 5],
    [`$map(${shares}, function($c, $i, $all) { $all[$i].containerCode })`, ["C1", "C2"]],
    [`$reduce(${shares}, function($sum, $c) { $sum + $c.${amount} }, 0)`, 5],
    [`$reduce(${shares}, function($a, $c) { { 'most': $max([$a.most, $c.${amount}]) } }, {}).most`, 3],
    [`$filter(${shares}, function($c) { $c.containerCode = 'C2' }).${amount}`, 3],
    [`$single(${shares}, function($c) { $c.containerCode = 'C2' }).${amount}`, 3],
    [`$sort(${shares}, function($l, $r) { $l.${amount} < $r.${amount} })[0].containerCode`, "C2"],
    [`$reverse(${shares})[0].containerCode`, "C2"],
    [`${shares} ~> $filter(function($c) { $c.${amount} > 2 }) ~> $map(function($c) { $c.containerCode })`, "C2"],
    [`${shares} ~> $map(function($c) { $c.${amount} }) ~> $sum`, 5],
    [`${shares} ~> function($list) { $sum($list.${amount}) }`, 5],
    [`function($list) { $sum($list.${amount}) }(${shares})`, 5],
    [`($s := amountToConfirmPickingSummary; $sum($s.containersBreakdown.${amount}))`, 5],
    [`($s := ${shares}; $s[containerCode = 'C2'].${amount})`, 3],
    ["($s := amountToConfirmPickingSummary; $s := updateWorkOrderRequest; $s.id)", 1],
    ["($s := itemNames; $f := function() { $s.id }; $s := updateWorkOrderRequest; $f())", 1],
    ["($f := function() { $root.own }; $root := { 'own': 1 }; $f())", 1],
    ["(itemNumber = 'x' ? $s := itemNames : $s := updateWorkOrderRequest; $s.id)", 1],
    ["(itemNumber = 'x' ? itemNames : updateWorkOrderRequest).id", 1],
    ["$map(itemNames, function($v) { ($v := updateWorkOrderRequest; $v.id) })", [1, 1]],
    [
      "$map(itemNames, function($v) { $v.name }) & $map(updateWorkOrderRequest, function($v) { $v.id })",
      '["Schraube","screw"]1',
    ],
    ["($map := function($a, $f) { $f({ 'x': $a }) }; $map(itemNumber, function($v) { $v.x }))", "000420"],
    ["($first := function($o) { $o.id }; $first(updateWorkOrderRequest))", 1],
    ["$map(itemNames, function($v) { itemNumber & $v.name })", ["000420Schraube", "000420screw"]],
    ["$map(itemNames, function($v) { $exists($v.name) ? $uppercase($v.name) : $v.languageIsoCode })[1]", "SCREW"],
    ["itemNames@$n.workOrderNumber[$n.isDefault]", "4711"],
    ["itemNames@$n.{ 'order': workOrderNumber, 'name': $n.name }[1].name", "screw"],
    ["itemNames#$i[$i = 1].name", "screw"],
    ["itemNames.{ 'n': name, 'order': %.workOrderNumber }[0].order", "4711"],
    [`${shares}{ containerCode: $sum(${amount}) } ~> $lookup('C2')`, 3],
    [`(${shares}{ containerCode: $sum(${amount}) }).C2`, 3],
    ["itemNames^(>name)[0].languageIsoCode", "en"],
    ["*.locationName", "A-01"],
    ["*.containersBreakdown.containerCode", ["C1", "C2"]],
    [`$sum(**.${amount})`, 5],
    ["**.lotNumber", "L1"],
    ["**[locationName].locationName", "A-01"],
    ["$each(itemNames[0], function($v, $k) { $k & '=' & $v })[1]", "name=Schraube"],
    ["$each($, function($v) { $v.locationName })", "A-01"],
    ["$sift(itemNames[0], function($v, $k) { $k = 'name' }).name", "Schraube"],
    ["$lookup($, 'serial').number", "S1"],
    ["$lookup($, 'amountToConfirmPickingSummary').locationName", "A-01"],
    ["$lookup(itemNames, 'name')[0]", "Schraube"],
    ["$merge([itemNames[0], { 'more': 1 }]).more", 1],
    ["[itemNames, { 'more': 1 }].more", 1],
    ["($ ~> | itemNames | { 'more': 1 } |).itemNames[0].more", 1],
    ["($up := $uppercase ~> $trim; $map(itemNames.name, $up)[1])", "SCREW"],
    ["($add := $append(?, [{ 'more': 1 }]); $add(itemNames)[2].more)", 1],
    ["storageName ?: itemNumber", "000420"],
    ["storageName ?? itemNumber", "000420"],
  ])("%s", async (text, value) => {
    const { ast, evaluate } = expression(text);
    expect(problems(ast)).toEqual([]);
    expect(JSON.stringify(await evaluate(event))).toBe(JSON.stringify(value));
  });
});

describe("a name that the contract does not have is refused", () => {
  test.each([
    [`$sum($map(${shares}, function($c) { $c.amountToConfirm }))`, /no amountToConfirm here; did you mean/],
    [`$map(${shares}, function($c, $i, $all) { $all[$i].code })`, /no code here/],
    [`$reduce(${shares}, function($sum, $c) { $sum + $c.amountToConfirm }, 0)`, /no amountToConfirm here/],
    [`$filter(${shares}, function($c) { $c.code = 'C2' })`, /no code here/],
    [`$filter(${shares}, function($c) { true }).code`, /no code here/],
    [`$single(${shares}, function($c) { $c.code = 'C2' })`, /no code here/],
    [`$sort(${shares}, function($l, $r) { $l.${amount} < $r.amountToConfirm })`, /no amountToConfirm here/],
    [`${shares} ~> $map(function($c) { $c.amountToConfirm }) ~> $sum`, /no amountToConfirm here/],
    [`${shares} ~> $filter(function($c) { true }) ~> $map(function($c) { $c.code })`, /no code here/],
    [`${shares} ~> function($list) { $sum($list.amountToConfirm) }`, /no amountToConfirm here/],
    [`function($list) { $sum($list.amountToConfirm) }(${shares})`, /no amountToConfirm here/],
    ["($s := amountToConfirmPickingSummary; $sum($s.containersBreakdown.amountToConfirm))", /no amountToConfirm here/],
    [`($s := ${shares}; $count($s[code = 'C2']))`, /no code here/],
    ["$map(itemNames, function($v) { $v.anything })", /no anything here/],
    ["$map(itemNames, function($v) { $v.name.x })", /nothing can be read below a value/],
    ["itemNames@$n.{ 'order': workOrderNumber, 'name': $n.title }", /no title here/],
    [`${shares}{ code: $sum(${amount}) }`, /no code here/],
    ["*.amountToConfirm", /no amountToConfirm here/],
    ["itemNames.*.name", /nothing can be read below a value/],
    ["**.amountToConfirm", /no amountToConfirm here; did you mean/],
    ["**[locationNam].locationName", /no locationNam here/],
    ["$each($, function($v) { $v.locationNam })", /no locationNam here/],
    ["$sift(itemNames[0], function($v, $k) { $k = 'name' }).title", /no title here/],
    ["$lookup($, 'amountToConfirmPickingSummary').location", /no location here/],
  ])("%s", (text, words) => {
    const [problem, ...others] = problems(expression(text).ast);
    expect(problem).toMatch(words);
    expect(others).toEqual([]);
  });

  test("once, where an operator reads it twice", () => {
    expect(problems(expression("storage ?: itemNumber").ast)).toHaveLength(1);
  });
});
