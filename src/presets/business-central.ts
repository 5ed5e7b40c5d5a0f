import { WorkOrderStatus } from "../contract/enums.ts";
import { type PickingSummary, type Preset, pickedAmount } from "./preset.ts";

const company = "/companies({companyId})";
const orders = { path: `${company}/salesOrders`, records: "value" };
const open = "fullyShipped eq false and status eq 'Open'";

const map = {
  number: "number",
  externalIdentifier: "id",
  description: "customerName",
  deliveryNumber: "externalDocumentNumber",
  // Business Central writes 0001-01-01 for "no date".
  dueDate: { from: '= requestedDeliveryDate > "0002" ? requestedDeliveryDate : orderDate', date: true },
  requests: {
    each: "salesOrderLines",
    where: { lineType: ["Item"] },
    map: {
      itemNumber: "lineObjectNumber",
      itemName: "description",
      requestedAmount: "quantity",
      unitOfMeasure: { from: "unitOfMeasureCode", enum: "UnitOfMeasure" },
      itemExternalIdentifier: "itemId",
      requestExternalIdentifier: "id",
    },
  },
};

const booked = (summary: PickingSummary) => ({
  when: { path: summary },
  method: "PATCH",
  path: `${company}/salesOrderLines({requestExternalIdentifier})`,
  headers: { "If-Match": "*" },
  map: { shipQuantity: pickedAmount },
});

export const businessCentral: Preset = {
  name: "business-central",
  title: "Dynamics 365 Business Central (API v2.0)",
  summary: "Released sales orders that are not shipped become work orders; picked amounts become quantities to ship.",
  type: "http",
  requiredOptions: [
    {
      option: "baseUrl",
      description: "URL of the API, with tenant and environment.",
      example: "https://api.businesscentral.dynamics.com/v2.0/TENANT/production/api/v2.0",
    },
    {
      option: "variables.companyId",
      description: "Id of the company.",
      example: "00000000-0000-0000-0000-000000000000",
    },
    {
      option: "auth.tokenUrl",
      description: "Where tokens of your tenant are handed out.",
      example: "https://login.microsoftonline.com/TENANT/oauth2/v2.0/token",
    },
    {
      option: "auth.clientId",
      description: "Id of the registered application.",
      example: "00000000-0000-0000-0000-000000000000",
    },
    { option: "auth.clientSecret", description: "Its secret.", example: "BC_CLIENT_SECRET", isSecret: true },
  ],
  options: {
    auth: { kind: "oauth2", scope: "https://api.businesscentral.dynamics.com/.default", clientAuth: "body" },
    checkPath: "/companies",
    errorText: "error.message",
    operations: {
      listWorkOrders: {
        ...orders,
        query: { $filter: open, $expand: "salesOrderLines" },
        page: { by: "next", path: "@odata.nextLink" },
        map,
      },
      findWorkOrderByCode: {
        ...orders,
        query: { $filter: `${open} and number eq '{code}'`, $expand: "salesOrderLines" },
        map,
      },
      getItem: {
        path: `${company}/items`,
        query: { $filter: "number eq '{number}'" },
        records: "value",
        map: {
          number: "number",
          name: "displayName",
          externalIdentifier: "id",
          unitOfMeasure: { from: "baseUnitOfMeasureCode", enum: "UnitOfMeasure" },
        },
      },
      confirmStep: booked("amountToConfirmPickingSummary"),
      confirmCartStep: booked("amountToConfirmSummary"),
      changeStatus: {
        when: { path: "status", equals: WorkOrderStatus.Completed },
        steps: [
          { method: "GET", path: `${company}/salesOrders`, query: { $filter: "number eq '{number}'", $select: "id" } },
          {
            path: `${company}/salesOrders({steps[0].value[0].id})/Microsoft.NAV.ship`,
            when: { path: "steps[0].value[0].id" },
          },
        ],
      },
    },
  },
};
