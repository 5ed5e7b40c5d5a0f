import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { operationRow } from "../../contract/operations.ts";
import { newId } from "../../kit/ids.ts";
import type { Asks, CallContext, OpenConnector, OpenContext, Tells } from "../../sdk/connector.ts";
import type { DryRun } from "../../sdk/dry-run.ts";
import { Fault } from "../../sdk/fault.ts";
import type { Network } from "../../sdk/http/system-network.ts";
import type { PushSource } from "../../sdk/intake.ts";
import { type AnyOutcome, ok } from "../../sdk/outcome.ts";
import { imageReader } from "./image-reader.ts";
import { type FilesOptions, type Incoming, type Outgoing, tellIds } from "./options.ts";
import { type EventWriter, eventWriter } from "./out/event-writer.ts";
import { type RecordReader, recordReader } from "./read/record-reader.ts";
import type { FileStore } from "./store/file-store.ts";
import { folderPath } from "./store/folder-path.ts";
import { inOrder } from "./store/in-order.ts";
import { openStore } from "./store/open-store.ts";
import { openSpool } from "./store/spool.ts";
import { previewFiles } from "./take/preview-files.ts";
import { createSweep } from "./take/sweep.ts";
import { watchFolder } from "./take/watch-folder.ts";

export interface FilesNeeds extends OpenContext, Network {}

/** Takes files in, writes events as files, and finds item images, in one folder of this machine or behind SFTP. */
export async function openFiles(options: FilesOptions, needs: FilesNeeds): Promise<OpenConnector> {
  const { dates, timers, log, clock, notebook } = needs;
  const store = openStore(options, timers);
  const maxBytes = (options.maxMiB ?? 64) * 2 ** 20;
  const inputs = (options.in ?? []).map((incoming) => ({ incoming, reader: recordReader(incoming, dates) }));
  const writers = new Map<Outgoing, EventWriter>();
  const writerOf = (key: keyof NonNullable<FilesOptions["out"]>): EventWriter | undefined => {
    const outgoing = options.out?.[key] ?? options.out?.all;
    if (outgoing === undefined) return undefined;
    const writer = writers.get(outgoing) ?? eventWriter(outgoing, { store, dates });
    writers.set(outgoing, writer);
    return writer;
  };
  const images = options.images === undefined ? undefined : imageReader(options.images, { ...needs, store });
  const notices = writerOf("notices");
  const tells = tellIds.flatMap((id) => {
    const writer = writerOf(id);
    return writer === undefined ? [] : [[id, tellBy(writer, operationRow(id).data !== undefined)] as const];
  });
  const instance = inputs.length === 0 ? "" : await ownName();
  const spool = openSpool(store, spoolFolder(needs.databaseFile, instance));

  return {
    operations: {
      // Each gets the input of its own row, which it writes as it came; a list of all of them cannot say that.
      ...(Object.fromEntries(tells) as Tells),
      ...(images === undefined ? {} : ({ getItemImage: images.read } satisfies Asks)),
    },
    neverRefuses: true,
    ...(notices === undefined
      ? {}
      : { notices: (_topic, payload, context) => tellBy(notices, false)(payload, context) }),
    ...(inputs.length === 0 ? {} : { source: sourceOf(inputs) }),
    ...(inputs.length === 0 ? {} : { preview: (limit: number) => previewAll(limit) }),
    dryRun: async (id, input, { delivery }) => {
      const outgoing = options.out?.[id] ?? options.out?.all;
      if (outgoing === undefined || delivery === undefined) return [];
      const made: DryRun[] = [];
      const write: FileStore["write"] = async ({ folder, name }, bytes) =>
        void made.push({ to: folder === "" ? name : `${folder}/${name}`, body: Buffer.from(bytes).toString() });
      await eventWriter(outgoing, { store: { ...store, write }, dates }).write(delivery, input);
      return made;
    },
    check: async () => {
      const wanted = new Map<string, boolean>();
      const want = (folder: string, write: boolean) => wanted.set(folder, write || (wanted.get(folder) ?? false));
      for (const { incoming } of inputs) want(folderPath(incoming.folder ?? ""), true);
      for (const { folder } of writers.values()) want(folder, true);
      if (options.images !== undefined && options.images.url === undefined)
        want(folderPath(options.images.folder ?? ""), false);
      const troubles: string[] = [];
      for (const [folder, write] of wanted) {
        await store.checkFolder(folder, { write }).catch((error: unknown) => {
          troubles.push(error instanceof Error ? error.message : String(error));
        });
      }
      if (troubles.length > 0) throw new Fault("unreachable", [...new Set(troubles)].join("\n"));
    },
    close: async () => {
      images?.close();
      await store.close();
    },
  };

  /** Kept over restarts: by it this adapter finds the files again that it had claimed. */
  async function ownName(): Promise<string> {
    const known = notebook.read("instance");
    if (known !== undefined) return known;
    const made = newId(clock);
    await notebook.write("instance", made);
    return made;
  }

  function sourceOf(watched: typeof inputs): PushSource {
    return {
      start: (intake) => {
        let isStopping = false;
        const queue = inOrder();
        const running = watched.map(({ incoming, reader }) => {
          const sweep = sweepOf(incoming, reader, () => isStopping);
          const name = incoming.folder ?? "";
          const everyMs = (incoming.everySeconds ?? 10) * 1000;
          const onStop = () => {
            isStopping = true;
          };
          // One folder after the other: a claim and its end belong together.
          return watchFolder({ sweep: (it) => queue(() => sweep(it)), everyMs, timers, log, name, onStop }, intake);
        });
        return { stop: async () => void (await Promise.all(running.map((one) => one.stop()))) };
      },
    };
  }

  function sweepOf(incoming: Incoming, reader: RecordReader, isStopping: () => boolean) {
    const language = options.language ?? "en";
    return createSweep({ store, spool, incoming, reader, maxBytes, language, clock, log, instance, isStopping });
  }

  async function previewAll(limit: number) {
    const previews = [];
    for (const input of inputs) previews.push(...(await previewFiles({ store, spool, ...input, maxBytes, limit })));
    return previews;
  }
}

/** Beside the database, whose disk is watched; not every system has its temporary files on a disk. */
const spoolFolder = (databaseFile: string, instance: string) =>
  join(databaseFile === "" ? tmpdir() : dirname(databaseFile), "spool", instance);

function tellBy(writer: EventWriter, hasData: boolean) {
  return async (input: unknown, { delivery, record }: CallContext): Promise<AnyOutcome> => {
    if (delivery === undefined) throw new Fault("broken", "only what stands in the journal can be written");
    await writer.write(delivery, input, record);
    return ok(hasData ? { updateWorkOrderRequest: null } : null);
  };
}
