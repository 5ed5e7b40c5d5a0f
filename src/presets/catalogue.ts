import { businessCentral } from "./business-central.ts";
import { erpnext } from "./erpnext.ts";
import { mockErp } from "./mock-erp.ts";
import { odooJson2, odooJsonrpc } from "./odoo.ts";
import type { Preset } from "./preset.ts";
import { sapBusinessOne } from "./sap-business-one.ts";
import { tryton } from "./tryton.ts";

/** All presets that a configuration can name. */
export const presets: readonly Preset[] = [
  odooJson2,
  odooJsonrpc,
  erpnext,
  businessCentral,
  sapBusinessOne,
  tryton,
  mockErp,
];
export const presetNames: readonly string[] = presets.map(({ name }) => name);
