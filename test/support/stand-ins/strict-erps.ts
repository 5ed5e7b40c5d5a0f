import { readFileSync } from "node:fs";
import type { ErpAnswer } from "../receivers/http-erp.ts";

/**
 * Stand-ins made from the public documentation of each system. They refuse what the real system refuses: a missing
 * login, another company, unknown fields, an amount above that of the line. The real system may still refuse what they
 * accept.
 */
interface Refused {
  readonly status: number;
  readonly body: unknown;
}

const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../fixtures/presets/${name}.json`, import.meta.url), "utf8"));

const strangers = (given: object, known: readonly string[]): string[] =>
  Object.keys(given).filter((name) => !known.includes(name));
const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

const odooFields: Readonly<Record<string, readonly string[]>> = {
  "stock.picking": [
    ...["name", "origin", "note", "scheduled_date", "date_deadline", "write_date", "partner_id", "move_ids", "id"],
    ...["picking_type_code", "state"],
  ],
  "stock.move": ["product_id", "product_uom_qty", "product_uom", "state", "sequence", "quantity", "picked"],
  "product.product": [...["default_code", "display_name", "weight", "volume", "uom_id", "write_date", "image_512"]],
};

/** Returns the fields of a domain and of a specification that the model does not have. */
function odooStrangers(model: string, body: Readonly<Record<string, unknown>>): string[] {
  const known = odooFields[model] ?? [];
  const domain = Array.isArray(body["domain"]) ? body["domain"] : [];
  const lines = membersOf(membersOf(membersOf(body["specification"])["move_ids"])["fields"]);
  return [
    ...domain.flatMap((one: unknown) =>
      Array.isArray(one) && !known.includes(String(one[0])) ? [String(one[0])] : [],
    ),
    ...strangers(membersOf(body["specification"]), known),
    ...strangers(lines, odooFields["stock.move"] ?? []),
    ...strangers(membersOf(body["vals"]), known),
    ...strangers(body, ["ids", "domain", "specification", "limit", "offset", "order", "fields", "vals", "context"]),
  ];
}

const odooOrdered = 4;
function judgeOdoo(model: string, body: Readonly<Record<string, unknown>>): string | null {
  const [stranger] = odooStrangers(model, body);
  if (stranger !== undefined) return `Invalid field '${stranger}' on model '${model}'`;
  const quantity = Number(membersOf(body["vals"])["quantity"] ?? 0);
  return quantity > odooOrdered ? `${quantity} exceeds the demand of ${odooOrdered}` : null;
}

function odooAnswer(model: string, method: string): unknown {
  const odoo = fixture("odoo");
  if (model === "product.product") return odoo["item"];
  if (method === "web_search_read") return odoo["orders"];
  return method === "search_read" ? [{ id: 41 }] : true;
}

const odooJson2: ErpAnswer = ({ pathname, headers, json }, response) => {
  const [, , , model = "", method = ""] = pathname.split("/");
  const refuse = ({ status, body }: Refused) => {
    response.statusCode = status;
    return body;
  };
  const named = (name: string, message: string) => ({ name, message, arguments: [message], context: {}, debug: "" });
  if (headers["authorization"] !== "bearer ODOO_API_KEY")
    return refuse({ status: 401, body: named("werkzeug.exceptions.Unauthorized", "Invalid apikey") });
  const problem = judgeOdoo(model, membersOf(json));
  if (problem !== null) return refuse({ status: 422, body: named("builtins.ValueError", problem) });
  return odooAnswer(model, method);
};

/** Everything is answered with status 200, even errors. */
const odooJsonrpc: ErpAnswer = ({ json }) => {
  const { args = [] } = membersOf(membersOf(json)["params"]) as { readonly args?: readonly unknown[] };
  const [database, user, key, model, method, , named] = args;
  const failed = (message: string) => ({
    jsonrpc: "2.0",
    id: 1,
    error: { code: 200, message: "Odoo Server Error", data: { message } },
  });
  if (database !== "production") return failed(`database "${String(database)}" does not exist`);
  if (user !== 2 || key !== "ODOO_API_KEY") return failed("Access Denied");
  const problem = judgeOdoo(String(model), membersOf(named));
  if (problem !== null) return failed(problem);
  return { jsonrpc: "2.0", id: 1, result: odooAnswer(String(model), String(method)) };
};

const erpnext: ErpAnswer = ({ pathname, headers, query, json }, response) => {
  const next = fixture("erpnext");
  const refuse = (status: number, exception: string) => {
    response.statusCode = status;
    return { exception, exc_type: exception.split(":")[0] };
  };
  if (headers["authorization"] !== "token ERPNEXT_KEY_AND_SECRET")
    return refuse(403, "frappe.exceptions.PermissionError: login");
  const known = ["docstatus", "status", "name"];
  const filters = JSON.parse(query["filters"] ?? "[]") as readonly (readonly [string])[];
  const stranger = filters.find(([name]) => !known.includes(name))?.[0];
  if (stranger !== undefined)
    return refuse(417, `frappe.exceptions.DataError: Field not permitted in query: ${stranger}`);
  if (pathname === "/api/resource/Comment") {
    const [wrong] = strangers(membersOf(json), ["comment_type", "reference_doctype", "reference_name", "content"]);
    return wrong === undefined ? { data: { name: "c1" } } : refuse(417, `frappe.exceptions.ValidationError: ${wrong}`);
  }
  if (Number(query["limit_start"] ?? 0) > 0) return { data: [] };
  if (pathname.startsWith("/api/resource/Item/")) return next["item"];
  return pathname.startsWith("/api/resource/Sales%20Order/") ? next["order"] : next["list"];
};

const centralCompany = "00000000-0000-0000-0000-000000000000";
const centralOrdered = 12;
const businessCentral: ErpAnswer = ({ pathname, method, headers, query, json }, response) => {
  const central = fixture("business-central");
  const refuse = (status: number, code: string, message: string) => {
    response.statusCode = status;
    return { error: { code, message } };
  };
  if (pathname === "/token") return { access_token: "t", expires_in: 3599 };
  if (headers["authorization"] !== "Bearer t")
    return refuse(401, "Authentication_InvalidCredentials", "The credentials are wrong");
  if (!pathname.startsWith(`/companies(${centralCompany})/`))
    return refuse(404, "BadRequest_NotFound", "The company does not exist");
  const known = ["fullyShipped", "status", "number"];
  const names = [...(query["$filter"] ?? "").matchAll(/(\w+) eq /g)].map(([, name]) => name ?? "");
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) return refuse(400, "BadRequest", `Could not find a property named '${stranger}'`);
  if (method === "PATCH") {
    const [wrong] = strangers(membersOf(json), ["shipQuantity"]);
    if (wrong !== undefined) return refuse(400, "BadRequest", `The property '${wrong}' does not exist`);
    if (headers["if-match"] === undefined) return refuse(409, "Request_EntityChanged", "If-Match is missing");
    if (Number(membersOf(json)["shipQuantity"]) > centralOrdered)
      return refuse(400, "Application_DialogException", `You cannot ship more than ${centralOrdered} units`);
    return {};
  }
  return pathname.includes("/items") ? central["item"] : central["orders"];
};

const sapBusinessOne: ErpAnswer = ({ pathname, method, headers, json }, response) => {
  const sap = fixture("sap-business-one");
  const refuse = (status: number, code: string, message: string) => {
    response.statusCode = status;
    return { error: { code, message } };
  };
  if (pathname === "/Login") {
    const { CompanyDB, UserName, Password } = membersOf(json);
    if (CompanyDB !== "SBODEMO") return refuse(401, "-5002", "The company database does not exist");
    if (UserName !== "crossdock" || Password !== "SAP_PASSWORD")
      return refuse(401, "-304", "Fail to get DB Credentials");
    response.setHeader("set-cookie", ["B1SESSION=s1; HttpOnly"]);
    return sap["login"];
  }
  if (!String(headers["cookie"]).includes("B1SESSION=s1"))
    return refuse(401, "301", "Invalid session or session already timeout.");
  if (method === "PATCH") {
    const { DocumentLines = [], ...rest } = membersOf(json);
    const lines = DocumentLines as readonly object[];
    const [wrong] = [...Object.keys(rest), ...lines.flatMap((line) => strangers(line, ["LineNum", "U_Picked"]))];
    if (wrong !== undefined) return refuse(400, "-1000", `Property '${wrong}' of 'Document' is invalid`);
    response.statusCode = 204;
    return {};
  }
  return pathname.startsWith("/Items") ? sap["item"] : sap["orders"];
};

export const strictErps: Readonly<Record<string, ErpAnswer>> = {
  "odoo-json2": odooJson2,
  "odoo-jsonrpc": odooJsonrpc,
  erpnext,
  "business-central": businessCentral,
  "sap-business-one": sapBusinessOne,
};
