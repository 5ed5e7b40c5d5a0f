import { createHmac, randomBytes } from "node:crypto";
import { openRecorder } from "./open-recorder.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

export interface RecordNeeds {
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly file: string;
  /** With the same one two recordings give the same things the same names; else a new one, which is forgotten. */
  readonly secret: string | undefined;
  readonly mostFileBytes: number;
  readonly keepFiles: number;
  readonly mostBodyBytes: number;
  readonly now: () => number;
}

export interface Recording {
  readonly url: string;
  readonly close: () => Promise<{
    readonly written: number;
    readonly dropped: number;
    /** Calls to other addresses, which were passed on only. */
    readonly others: number;
  }>;
}

/** Records what goes through, scrubbed, until it is closed. */
export async function record(needs: RecordNeeds): Promise<Recording> {
  const { target, host, port, now, mostBodyBytes, secret } = needs;
  const key = secret === undefined ? randomBytes(32) : createHmac("sha256", "crossdock record").update(secret).digest();
  const recorder = await openRecorder({
    ...{ file: needs.file, session: randomBytes(8).toString("hex"), mostBytes: needs.mostFileBytes },
    ...{ keep: needs.keepFiles, key: new Uint8Array(key) },
  });
  const proxy = await startRecordingProxy({ target, host, port, now, mostBodyBytes, onCall: recorder.write }).catch(
    async (error: unknown) => {
      await recorder.close();
      throw error;
    },
  );
  return {
    url: proxy.url,
    close: async () => {
      await proxy.close();
      return { ...(await recorder.close()), others: proxy.others() };
    },
  };
}
