import { localise } from "../../../messages/localise.ts";
import type { Preview } from "../../../sdk/connector.ts";
import type { Incoming } from "../options.ts";
import { fetchFile, type ReadRecord, type RecordReader, type RecordsRead } from "../read/record-reader.ts";
import { type FileStore, folderPath, shownName } from "../store/file-store.ts";
import type { Spool, SpooledFile } from "../store/spool.ts";
import { namePattern } from "./sweep.ts";

export interface PreviewNeeds {
  readonly store: FileStore;
  readonly spool: Spool;
  readonly incoming: Incoming;
  readonly reader: RecordReader;
  readonly maxBytes: number;
  readonly limit: number;
}

interface FilePreview extends Preview {
  /** Whether it stands for a file that cannot be read, and not for a record. */
  readonly isRefused: boolean;
}

const filesLookedAt = 5;

/** The first records of waiting files. The files are not moved. */
export async function previewFiles({
  store,
  spool,
  incoming,
  reader,
  maxBytes,
  limit,
}: PreviewNeeds): Promise<FilePreview[]> {
  const { topic, pattern = "*", marker } = incoming;
  const folder = folderPath(incoming.folder ?? "");
  const fits = namePattern(pattern);
  const isWanted = (name: string) =>
    !name.startsWith(".") && fits(name) && !(marker !== undefined && name.endsWith(marker));
  const previews: FilePreview[] = [];
  const { sourceOf } = reader;
  for (const { name } of (await store.list(folder, isWanted, filesLookedAt)).files) {
    if (previews.length >= limit) break;
    const found = await fetchFile({ folder, name }, { spool, reader, maxBytes });
    if (found === null) continue;
    const failed = (texts: readonly string[]) =>
      previews.push({
        ...{ serves: topic, raw: shownName(name), mapped: null, sourceOf, isRefused: true },
        problems: texts.map((text) => ({ field: shownName(name), text })),
      });
    if ("tooLarge" in found) {
      failed([found.tooLarge]);
      continue;
    }
    const most = limit - previews.length;
    const reading = Buffer.isBuffer(found) ? await reader.read(name, found, most) : await firstOf(found, reader, most);
    if ("refusal" in reading) {
      failed(reading.refusal.map((one) => (typeof one === "string" ? one : localise(one.text, "en"))));
      continue;
    }
    for (const { value, element, problems } of reading.records) {
      previews.push({ serves: topic, raw: value, mapped: element, problems, sourceOf, isRefused: false });
    }
  }
  return previews;
}

/** The first records of a file that is streamed. */
async function firstOf(file: SpooledFile, reader: RecordReader, limit: number): Promise<RecordsRead> {
  try {
    const reading = await reader.stream(file);
    if ("refusal" in reading) return reading;
    const { portions, close, ...rest } = reading;
    const records: ReadRecord[] = [];
    try {
      for await (const portion of portions()) {
        records.push(...portion.slice(0, limit - records.length));
        if (records.length >= limit) break;
      }
    } finally {
      await close();
    }
    return { ...rest, records };
  } finally {
    await file.remove();
  }
}
