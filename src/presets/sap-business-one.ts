import { type PickingSummary, type Preset, pickedAmount } from "./preset.ts";

const select = "DocEntry,DocNum,DocDueDate,CardName,NumAtCard,Comments,UpdateDate,DocumentLines";
const headers = { Prefer: "odata.maxpagesize=100" };
const orders = { path: "/Orders", headers, records: "value" };

const map = {
  number: "DocNum",
  externalIdentifier: "DocEntry",
  description: "CardName",
  deliveryNumber: "NumAtCard",
  dueDate: { from: "DocDueDate", date: true },
  requests: {
    each: "DocumentLines",
    where: { LineStatus: ["bost_Open"] },
    map: {
      itemNumber: "ItemCode",
      itemName: "ItemDescription",
      requestedAmount: "RemainingOpenInventoryQuantity",
      requestExternalIdentifier: "LineNum",
      designatedLocationName: "WarehouseCode",
    },
  },
};

/**
 * Written into a custom field of the order's lines, because Service Layer has no other place for amounts that are not
 * delivered.
 */
const booked = (summary: PickingSummary) => ({
  when: { path: summary },
  method: "PATCH",
  path: "/Orders({workOrderExternalIdentifier})",
  map: { line: { from: "requestExternalIdentifier", number: true }, picked: pickedAmount },
  body: { DocumentLines: [{ LineNum: "{mapped.line}", U_Picked: "{mapped.picked}" }] },
});

export const sapBusinessOne: Preset = {
  name: "sap-business-one",
  title: "SAP Business One (Service Layer, OData v4)",
  summary: "Open sales orders become work orders; picked amounts are written into the field U_Picked of their lines.",
  type: "http",
  requiredOptions: [
    {
      option: "baseUrl",
      description: "URL of Service Layer, version 2.",
      example: "https://sap.example.com:50000/b1s/v2",
    },
    { option: "auth.body.CompanyDB", description: "Name of the company's database.", example: "SBODEMO" },
    { option: "auth.body.UserName", description: "User.", example: "crossdock" },
    { option: "auth.body.Password", description: "Its password.", example: "SAP_PASSWORD", isSecret: true },
  ],
  options: {
    auth: { kind: "session", loginPath: "/Login" },
    checkPath: "/Orders/$count",
    errorText: "error.message",
    operations: {
      listWorkOrders: {
        ...orders,
        query: { $select: select, $filter: "DocumentStatus eq 'bost_Open'", $orderby: "DocEntry" },
        page: { by: "next", path: "@odata.nextLink" },
        map,
      },
      findWorkOrderByCode: {
        ...orders,
        query: {
          $select: select,
          $filter: "DocumentStatus eq 'bost_Open' and (DocNum eq {code:number} or NumAtCard eq '{code}')",
        },
        map,
      },
      getItem: {
        path: "/Items('{number}')",
        query: { $select: "ItemCode,ItemName,InventoryUOM,InventoryWeight,Manufacturer" },
        map: {
          number: "ItemCode",
          name: "ItemName",
          weight: "InventoryWeight",
          unitOfMeasure: { from: "InventoryUOM", enum: "UnitOfMeasure" },
        },
      },
      confirmStep: booked("amountToConfirmPickingSummary"),
      confirmCartStep: booked("amountToConfirmSummary"),
    },
  },
};
