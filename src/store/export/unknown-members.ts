import { workOrderSchema } from "../../contract/schemas/work-order.ts";
import { expression } from "../../mapping/expressions/expression.ts";
import { unknownNames } from "../../mapping/expressions/expression-names.ts";
import { leafShape, objectShape, type SourceShape, shapeOfSchema } from "../../mapping/source/source-shape.ts";

/** What the value of an export column reads. What is in external data is not known. */
const sources: SourceShape = objectShape({
  externalData: null,
  deliveryNote: null,
  deliveryAddress: null,
  order: objectShape({
    ...shapeOfSchema(workOrderSchema)?.properties,
    ...{ externalIndexableValue: leafShape, externalData: null },
  }),
});

/** Why the value of an export column can never be there: it reads members that no order has. */
export function unknownMembers(value: string): string[] {
  return unknownNames(expression(value).ast, { here: sources, variables: {} })
    .filter(({ name, position = 0 }) => value.startsWith(name, position))
    .map(({ text }) => text);
}
