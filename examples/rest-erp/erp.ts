import type { ExampleErp } from "../shift/example-erp.ts";
import { startStandIn } from "../shift/start-stand-in.ts";

const token = "rest-erp-token";

/** An ERP with a REST interface: lists in pages, errors with status 200, one booking per idempotency key. */
export async function startErp(folder: string): Promise<ExampleErp> {
  const standIn = await startStandIn({ folder, options: ["--errors", "body"], env: { MOCK_ERP_TOKEN: token } });
  return { ...standIn, isAskedLive: true, env: { ERP_URL: standIn.apiUrl, ERP_TOKEN: token } };
}
