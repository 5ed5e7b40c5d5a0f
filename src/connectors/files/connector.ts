import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { derivedEventIds, isDerivedEvent } from "../../contract/derived-events.ts";
import { operationRow } from "../../contract/operations.ts";
import { pushRow } from "../../contract/pushes.ts";
import { type Network, proxyProblems, systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { newId } from "../../kit/ids.ts";
import { mappingProblems } from "../../mapping/compile-mapping.ts";
import { Fault } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { type AnyOutcome, ok } from "../../operation/outcome.ts";
import {
  type CallContext,
  type DerivedEvents,
  type DryRun,
  defineConnector,
  derivedOffer,
  type Events,
  type OnRecord,
  type OpenConnector,
  type OpenContext,
  offeredAmong,
  type Queries,
} from "../../sdk/connector.ts";
import { folderName, type PushSource } from "../../sdk/intake.ts";
import { imageReader } from "./image-reader.ts";
import { eventIds, type FilesOptions, filesOptions, type Incoming, type Outgoing } from "./options.ts";
import { type EventWriter, eventName, eventSourceShape, eventWriter } from "./out/event-writer.ts";
import { type RecordReader, recordFilter, recordReader } from "./read/record-reader.ts";
import { type FileStore, folderPath } from "./store/file-store.ts";
import { openStore, sftpLogin } from "./store/open-store.ts";
import { inOrder } from "./store/sftp-session.ts";
import { openSpool } from "./store/spool.ts";
import { previewFiles } from "./take/preview-files.ts";
import { createSweep } from "./take/sweep.ts";
import { watchFolder } from "./take/watch-folder.ts";

interface FilesNeeds extends OpenContext, Network {}

/** Imports files, writes events as files and reads item images, in a local folder or on an SFTP server. */
export async function openFiles(options: FilesOptions, needs: FilesNeeds): Promise<OpenConnector> {
  const { dates, timers, log, clock, connectorState } = needs;
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
  const events = eventIds.flatMap((id) => {
    const writer = writerOf(id);
    return writer === undefined ? [] : [[id, reportBy(writer, operationRow(id).data !== undefined)] as const];
  });
  // Only if named: readers of a folder for all events do not expect events that are not in the contract.
  const derived = derivedEventIds.flatMap((id) => {
    const outgoing = options.out?.[id];
    return outgoing === undefined ? [] : [[id, reportBy(eventWriter(outgoing, { store, dates }), false)] as const];
  });
  const instance = inputs.length === 0 ? "" : await ownName();
  const spool = openSpool(store, spoolFolder(needs.databaseFile, instance));

  return {
    operations: {
      // Each operation gets its own input type, which is written unchanged; a table of all operations cannot express
      // that.
      ...(Object.fromEntries(events) as Events),
      ...(images === undefined ? {} : ({ getItemImage: images.read } satisfies Queries)),
    },
    neverRefuses: true,
    ...(notices === undefined
      ? {}
      : { notices: (_topic, payload, context) => reportBy(notices, false)(payload, context) }),
    ...(inputs.length === 0 ? {} : { source: sourceOf(inputs) }),
    ...(inputs.length === 0 ? {} : { preview: previewAll }),
    // As above: each has its own input type.
    ...(derived.length === 0 ? {} : { derived: Object.fromEntries(derived) as DerivedEvents }),
    dryRun: (id, input, call) =>
      writtenBy(options.out?.[id] ?? (isDerivedEvent(id) ? undefined : options.out?.all), input, call),
    dryRunNotice: (_topic, payload, call) => writtenBy(options.out?.notices ?? options.out?.all, payload, call),
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

  /** The files that would be written. */
  async function writtenBy(
    outgoing: Outgoing | undefined,
    input: unknown,
    { delivery, findSubject }: CallContext,
  ): Promise<readonly DryRun[]> {
    if (outgoing === undefined || delivery === undefined) return [];
    const made: DryRun[] = [];
    const write: FileStore["write"] = async ({ folder, name }, bytes) =>
      void made.push({ to: folder === "" ? name : `${folder}/${name}`, body: Buffer.from(bytes).toString() });
    await eventWriter(outgoing, { store: { ...store, write }, dates }).write(delivery, input, { findSubject });
    return made;
  }

  /** Kept across restarts, so that this adapter finds the files it claimed before the restart. */
  async function ownName(): Promise<string> {
    const known = connectorState.read("instance");
    if (known !== undefined) return known;
    const made = newId(clock);
    await connectorState.write("instance", made);
    return made;
  }

  function sourceOf(watched: typeof inputs): PushSource {
    return {
      start: (intake) => {
        let isStopping = false;
        const queue = inOrder();
        const running = watched.map(({ incoming, reader }, index) => {
          const sweep = sweepOf(incoming, reader, () => isStopping);
          const name = incoming.folder ?? "";
          const part = folderName(index, incoming.topic);
          const everyMs = (incoming.everySeconds ?? 10) * 1000;
          const onStop = () => {
            isStopping = true;
          };
          // One folder after the other: a claim must be finished before the next one starts.
          return watchFolder(
            { sweep: (it) => queue(() => sweep(it)), everyMs, timers, log, name, part, onStop },
            intake,
          );
        });
        return { stop: async () => void (await Promise.all(running.map((one) => one.stop()))) };
      },
    };
  }

  function sweepOf(incoming: Incoming, reader: RecordReader, isStopping: () => boolean) {
    const language = options.language ?? "en";
    const kept = { store, spool, connectorState, log, instance, language, maxBytes };
    return createSweep({ ...kept, incoming, reader, clock, passed: timers.passed, isStopping });
  }

  async function previewAll(limit: number, onRecord?: OnRecord) {
    const previews = [];
    for (const [index, input] of inputs.entries()) {
      const found = await previewFiles({ store, spool, ...input, maxBytes, limit });
      for (const { serves, raw: record, isRefused } of found) {
        if (!isRefused) onRecord?.({ path: ["in", index], serves, record });
      }
      previews.push(...found);
    }
    return previews;
  }
}

/** In the database's folder, because that disk is monitored. The system's temporary folder may be in memory. */
const spoolFolder = (databaseFile: string, instance: string) =>
  join(databaseFile === "" ? tmpdir() : dirname(databaseFile), "spool", instance);

function reportBy(writer: EventWriter, hasData: boolean) {
  return async (input: unknown, { delivery, record, findSubject }: CallContext): Promise<AnyOutcome> => {
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be written");
    await writer.write(delivery, input, { record, findSubject });
    return ok(hasData ? { updateWorkOrderRequest: null } : null);
  };
}

type Path = readonly (string | number)[];

/**
 * Checks that the schema cannot express. They run when the configuration is loaded, not when the connector is opened.
 */
export function validateOptions(options: FilesOptions): readonly OptionProblem[] {
  const { in: incoming = [], out = {}, images } = options;
  return [
    ...refused(["location"], () => sftpLogin(options)),
    ...incoming.flatMap(({ topic, folder = "", done, error, groupBy, map, where }, index) => {
      const path: Path = ["in", index];
      return [
        ...folderProblems(path, { folder, done, error }),
        ...(groupBy !== undefined && map === undefined
          ? [
              {
                path: [...path, "groupBy"],
                text: "`groupBy` needs a `map` that says how the rows of a group become one record",
              },
            ]
          : []),
        ...(typeof where === "string" ? refused([...path, "where"], () => recordFilter(where)) : []),
        ...mappingProblems(map, { target: pushRow(topic).element, path: [...path, "map"] }),
      ];
    }),
    ...Object.entries(out).flatMap(([event, { folder = "", name, map }]) => {
      const path: Path = ["out", event];
      return [
        ...refused([...path, "folder"], () => folderPath(folder)),
        ...(name === undefined ? [] : refused([...path, "name"], () => eventName(name))),
        ...mappingProblems(map, { source: eventSourceShape(event), path: [...path, "map"] }),
      ];
    }),
    ...proxyProblems(images?.proxy, ["images", "proxy"]),
    ...refused(["images", "folder"], () => folderPath(images?.folder ?? "")),
    ...(images?.url === undefined || /^https?:\/\//i.test(images.url)
      ? []
      : [{ path: ["images", "url"], text: "must begin with http:// or https://" }]),
  ];
}

function folderProblems(
  path: Path,
  { folder, done = "", error = "" }: { folder: string; done?: string | undefined; error?: string | undefined },
) {
  const own = refused([...path, "folder"], () => folderPath(folder));
  // If `folder` is outside, everything below it is outside too; one error is enough.
  if (own.length > 0) return own;
  return [
    ...refused([...path, "done"], () => folderPath(folder, done)),
    ...refused([...path, "error"], () => folderPath(folder, error)),
  ];
}

function refused(path: Path, read: () => unknown): OptionProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ path, text: error.message }];
  }
}

/** A local folder or a folder on an SFTP server: orders and items are imported from it, events are written to it. */
export const files = defineConnector({
  type: "files",
  summary: "Imports order, item, cancellation and stock files from a folder or an SFTP server, and writes event files.",
  options: filesOptions,
  validate: validateOptions,
  offers: ({ in: incoming = [], out = {}, images }) => {
    const named: Readonly<Record<string, unknown>> = out;
    const written = eventIds.filter((id) => (named[id] ?? out.all) !== undefined);
    return {
      operations: offeredAmong({ ...Object.fromEntries(written.map((id) => [id, true])), getItemImage: images }),
      takesNotices: (out.notices ?? out.all) !== undefined,
      bringsIn: incoming.length > 0,
      ...derivedOffer(named),
    };
  },
  open: (options, context) => openFiles(options, { ...context, ...systemNetwork }),
});
