import assert from "node:assert/strict";
import { type Floor, granted } from "../floor.ts";

interface KeptBack {
  readonly records: readonly { number: string; source: string; fix: string; problems: readonly { text: string }[] }[];
}

/** Order 4719 wants one and a half pieces: it is kept back with the reason, until somebody corrects it. */
export async function badOrder({ client, erp, say, until, look }: Floor): Promise<void> {
  const kept = async () => ((await look("/admin/quarantine")) as KeptBack).records;
  const [record, ...others] = await kept();
  assert.deepEqual([record?.number, record?.source, others], ["4719", "erp", []]);
  assert.match(record?.problems[0]?.text ?? "", /1[.,]5/);
  say(`kept back: 4719: ${record?.problems[0]?.text}`);

  await erp.mendBadOrder();
  await until("the corrected order", async () =>
    granted(await client.listWorkOrders()).some(({ number }) => number === "4719"),
  );
  assert.deepEqual(await kept(), []);
  say("4719 was corrected in the ERP: it is listed, and nothing is kept back");
}
