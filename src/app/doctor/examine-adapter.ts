import type { Settings } from "../../config/settings.ts";
import { operations } from "../../contract/operations.ts";
import { readAdapterFile } from "../adapter-file.ts";
import { queryOwnAdapter } from "../listener/query-own-adapter.ts";
import { versionInfo } from "../version-info.ts";
import { examinePort } from "./examine-network.ts";
import { type Finding, failure, fine, reasonOf, warning } from "./finding.ts";

const subject = "adapter";

/** A service often has the address in its own environment, which the doctor does not see. */
const storeNotExamined = warning(
  "PostgreSQL",
  "not examined: the adapter uses one whose address this command does not have",
  'Set CROSSDOCK_STORE, or run it with the environment of the adapter: see "When something is wrong" in docs/how-to/operate.md.',
);

/** Examines the adapter that runs here, or whether one could run. */
export async function examineAdapter(
  settings: Pick<Settings, "dataFolder" | "host" | "port">,
  { timeoutMs, knowsStore }: { readonly timeoutMs: number; readonly knowsStore: boolean },
): Promise<Finding[]> {
  const running = readAdapterFile(settings.dataFolder);
  if (running === null) return [await examinePort(settings)];
  const query = async (path: string) => (await queryOwnAdapter(running.url + path, { timeoutMs })).body;
  try {
    const [status, ready] = await Promise.all([query(operations.getStatus.path), query("/health/ready")]);
    const isReplicated = ready["owner"] !== undefined || ready["standby"] !== undefined;
    return [
      examineVersion(status["version"], running.url),
      ...examineReadiness(ready),
      ...(isReplicated && !knowsStore ? [storeNotExamined] : []),
    ];
  } catch (error) {
    const remedy = "Look at the log; if it hangs, restart it: nothing that was acknowledged is lost.";
    return [failure(subject, `process ${running.pid} does not answer at ${running.url}: ${reasonOf(error)}`, remedy)];
  }
}

function examineVersion(version: unknown, url: string): Finding {
  const own = versionInfo().version;
  // Whoever calls may have to authenticate for it, and a standby whose owner is away cannot pass the call on.
  if (typeof version !== "string") return fine(subject, `it answers at ${url}, without its version`);
  if (version === own) return fine(subject, `version ${version} answers at ${url}`);
  return warning(
    subject,
    `version ${version} runs, and ${own} is installed`,
    "Restart it: systemctl restart crossdock.",
  );
}

/** A standby is well although it is never ready: a load balancer must send it no requests. */
function examineReadiness({ reasons, standby }: Readonly<Record<string, unknown>>): Finding[] {
  const texts = Array.isArray(reasons) ? reasons.map(String) : [];
  const table = "See the table of reasons in docs/how-to/operate.md.";
  if (standby === undefined) return texts.map((text) => failure(subject, text, table));
  return texts.map((text) => {
    if (text.startsWith("standby;")) return fine(subject, text);
    if (text.startsWith("standby:")) return failure(subject, text, "See docs/how-to/two-machines.md.");
    return warning(subject, text, "Give all processes of the deployment the same configuration.");
  });
}
