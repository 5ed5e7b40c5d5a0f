import { type OdooCall, odooOperations } from "./odoo-model.ts";
import type { Preset } from "./preset.ts";

const request = ({ model, method, ids, named }: OdooCall) => ({
  method: "POST",
  path: "/jsonrpc",
  body: {
    jsonrpc: "2.0",
    method: "call",
    id: 1,
    params: {
      service: "object",
      method: "execute_kw",
      args: ["{database}", "{userId}", "{apiKey}", model, method, ids === undefined ? [] : [ids], named],
    },
  },
});
const page = { by: "offset", size: 200, total: "result.length" };

export const odooJsonrpc: Preset = {
  name: "odoo-jsonrpc",
  title: "Odoo 17 and 18 (JSON-RPC)",
  summary: "As odoo-json2, for versions without JSON-2.",
  type: "http",
  queries: [
    { option: "baseUrl", description: "URL of Odoo.", example: "https://odoo.example.com" },
    { option: "variables.database", description: "Name of the database.", example: "production" },
    { option: "variables.userId", description: "Id of the user, as a number.", example: 2 },
    { option: "variables.apiKey", description: "API key of that user.", example: "ODOO_API_KEY", isSecret: true },
  ],
  options: {
    success: { absent: "error" },
    errorText: "error.data.message",
    operations: odooOperations({ request, page, answer: "result.", foundId: "steps[0].result[0].id" }),
  },
};
