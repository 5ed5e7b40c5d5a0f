import { parentPort } from "node:worker_threads";
import type { FileType } from "../../contract/enums.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { type FilePreview, type FileSubjectName, previewFile } from "../../formats/import/preview-file.ts";
import type { Language } from "../../messages/languages.ts";

export interface PreviewJob {
  readonly subject: FileSubjectName;
  readonly bytes: Uint8Array;
  readonly fileType: FileType;
  readonly settings: FileSettings;
  readonly language: Language;
}
export type PreviewDone = { readonly preview: FilePreview } | { readonly failed: string };

if (parentPort === null) throw new Error("files are previewed here only in a worker thread");
const port = parentPort;

port.once("message", ({ subject, bytes, ...asked }: PreviewJob) => {
  const send = (done: PreviewDone) => port.postMessage(done);
  try {
    send({ preview: previewFile(subject, bytes, asked) });
  } catch (error) {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
