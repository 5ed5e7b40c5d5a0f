import { localise } from "../../../messages/localise.ts";
import type { Preview } from "../../../sdk/preview.ts";
import type { Incoming } from "../options.ts";
import type { RecordReader } from "../read/record-reader.ts";
import { shownName } from "../store/file-name.ts";
import type { FileStore } from "../store/file-store.ts";
import { folderPath } from "../store/folder-path.ts";
import { namePattern } from "./name-pattern.ts";

export interface PreviewNeeds {
  readonly store: FileStore;
  readonly incoming: Incoming;
  readonly reader: RecordReader;
  readonly maxBytes: number;
  readonly limit: number;
}

const filesLookedAt = 5;

/** The first records of files that wait, which stay where they are. */
export async function previewFiles({ store, incoming, reader, maxBytes, limit }: PreviewNeeds): Promise<Preview[]> {
  const { topic, pattern = "*", marker } = incoming;
  const folder = folderPath(incoming.folder ?? "");
  const fits = namePattern(pattern);
  const isWanted = (name: string) =>
    !name.startsWith(".") && fits(name) && !(marker !== undefined && name.endsWith(marker));
  const previews: Preview[] = [];
  const { sourceOf } = reader;
  for (const { name } of (await store.list(folder, isWanted, filesLookedAt)).files) {
    if (previews.length >= limit) break;
    const bytes = await store.read({ folder, name }, maxBytes);
    if (bytes === null) continue;
    const failed = (texts: readonly string[]) =>
      previews.push({
        ...{ serves: topic, raw: shownName(name), mapped: null, sourceOf },
        problems: texts.map((text) => ({ field: shownName(name), text })),
      });
    if (bytes === "too-large") {
      failed(["the file is larger than `maxMiB`"]);
      continue;
    }
    const reading = await reader.read(name, bytes, limit - previews.length);
    if ("refusal" in reading) {
      failed(reading.refusal.map((one) => (typeof one === "string" ? one : localise(one.text, "en"))));
      continue;
    }
    for (const { value, element, problems } of reading.records) {
      previews.push({ serves: topic, raw: value, mapped: element, problems, sourceOf });
    }
  }
  return previews;
}
