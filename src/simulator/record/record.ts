import { createHmac, randomBytes } from "node:crypto";
import { pseudonyms } from "./pseudonyms.ts";
import { openRecordingFile } from "./recording-file.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";
import { callScrubber } from "./scrub-call.ts";

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

export interface Recording extends Pick<RecordingProxy, "url" | "others" | "close"> {
  readonly written: () => number;
  readonly dropped: () => number;
}

/** Records what goes through, scrubbed, until it is closed. */
export async function record(needs: RecordNeeds): Promise<Recording> {
  const { target, host, port, now, mostBodyBytes, secret } = needs;
  const key = secret === undefined ? randomBytes(32) : createHmac("sha256", "crossdock record").update(secret).digest();
  const file = await openRecordingFile({
    ...{ file: needs.file, session: randomBytes(8).toString("hex"), mostBytes: needs.mostFileBytes },
    keep: needs.keepFiles,
  });
  const scrub = callScrubber(pseudonyms(key));
  const onCall = (call: Parameters<typeof scrub>[0]) => file.write(() => scrub(call));
  const proxy = await startRecordingProxy({ target, host, port, now, mostBodyBytes, onCall }).catch(
    async (error: unknown) => {
      await file.close();
      throw error;
    },
  );
  return {
    ...{ url: proxy.url, others: proxy.others, written: file.written, dropped: file.dropped },
    close: async () => {
      await proxy.close();
      await file.close();
    },
  };
}
