import { type OdooCall, odooOperations } from "./odoo-model.ts";
import type { Preset } from "./preset.ts";

const request = ({ model, method, ids, named }: OdooCall) => ({
  method: "POST",
  path: `/json/2/${model}/${method}`,
  body: { ...(ids === undefined ? {} : { ids }), ...named },
});
const page = { by: "offset", size: 200, total: "length" };

export const odooJson2: Preset = {
  name: "odoo-json2",
  title: "Odoo 19 and later (JSON-2)",
  summary: "Deliveries with reserved goods become work orders; picked amounts are booked on their lines.",
  type: "http",
  queries: [
    { option: "baseUrl", description: "URL of Odoo.", example: "https://odoo.example.com" },
    {
      option: "auth.token",
      description: "API key of a user of the warehouse.",
      example: "ODOO_API_KEY",
      isSecret: true,
    },
  ],
  options: {
    auth: { kind: "bearer", prefix: "bearer" },
    checkPath: "/web/version",
    operations: odooOperations({ request, page, answer: "", foundId: "steps[0][0].id" }),
  },
};
