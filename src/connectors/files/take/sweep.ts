import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { ConnectorState } from "../../../sdk/connector.ts";
import type { Intake } from "../../../sdk/intake.ts";
import { type FileStore, folderPath, type ListedFile, type Place, shownName } from "../store/file-store.ts";
import { claimedMarkers, stampOf, unchangedSince } from "./claimed-markers.ts";
import { FilesHeld, isHeld, putAway } from "./put-away.ts";
import { type TakeNeeds, takeFile } from "./take-file.ts";

/** Files imported per sweep; if there are more, the next sweep follows at once. */
const filesPerSweep = 1_000;
/**
 * How many files are sorted by age before the first import: several files may hold the same order, and the last one
 * must win.
 */
const mostWaiting = 200_000;
/** A claim of another adapter that is older than this was abandoned. */
const abandonedMs = 3_600_000;

export interface SweepNeeds extends Omit<TakeNeeds, "away" | "claimedAt"> {
  readonly store: FileStore;
  /** Distinguishes this adapter's claims from those of others. */
  readonly instance: string;
  readonly clock: Clock;
  readonly passed: Timers["passed"];
  readonly log: Log;
  readonly connectorState: ConnectorState;
  readonly isStopping: () => boolean;
}

/** One sweep of a folder: resumes earlier claims, then claims and imports complete files. True if there are more. */
export type Sweep = (intake: Intake) => Promise<boolean>;

export function createSweep(needs: SweepNeeds): Sweep {
  const { store, incoming, instance, clock, passed, log, connectorState } = needs;
  const { folder: given = "", marker, settleSeconds = 5, pattern = "*", done = "done", error = "error" } = incoming;
  const folder = folderPath(given);
  const claims = folderPath(folder, ".claimed");
  // Claims are separated by topic: two kinds of files may share a folder, and must not be imported as each other.
  const own = folderPath(claims, `${instance}-${incoming.topic}`);
  const away = putAway({ store, folder, done, error, clock, instance });
  const fits = namePattern(pattern);
  const isWanted = (name: string) =>
    !name.startsWith(".") && fits(name) && (marker === undefined || !name.endsWith(marker));
  const isMarker = (name: string) => marker !== undefined && name.endsWith(marker) && name !== marker;
  const markers =
    marker === undefined ? null : claimedMarkers({ store, passed, log, folder, own, marker, abandonedMs });
  const settled = unchangedSince(passed);
  const abandoned = unchangedSince(passed);
  const abandonedHeld = unchangedSince(passed);
  const named = new Set<string>();
  /** What the files were that the last sweeps left, because they had changed. */
  const left = new Map<string, string>();
  let isPrepared = false;

  // One time for all claims of a sweep: the claims of a sweep are finished before the next one claims anything.
  const claimedKey = `claimed.${own}`;
  const noteClaims = () => connectorState.write(claimedKey, String(clock.now()));
  const claimedAt = () => Number(connectorState.read(claimedKey) ?? Number.NaN);

  const take = async (file: ListedFile, intake: Intake, since = claimedAt()): Promise<boolean> => {
    const isOver = await takeFile({ folder: own, name: file.name }, intake, {
      ...{ ...needs, away },
      claimedAt: Number.isFinite(since) ? since : undefined,
    });
    if (isOver) await markers?.letGo(file);
    return isOver;
  };

  const takeOwn = async (intake: Intake): Promise<boolean> => {
    const { files } = await store.list(own, isWanted, filesPerSweep);
    let isAllTaken = true;
    for (const file of files) if (needs.isStopping() || !(await take(file, intake))) isAllTaken = false;
    return isAllTaken;
  };

  const adopt = async (intake: Intake): Promise<boolean> => {
    const others = (await store.folders(claims))
      .map((name) => folderPath(claims, name))
      .filter((other) => other !== own && other.endsWith(`-${incoming.topic}`));
    await markers?.adopt(others);
    // Apart: many held files must not keep an unfinished one from being found.
    for (const { place } of await unmoved(others, isHeld, abandonedHeld))
      await store.move(place, { folder: own, name: place.name });
    for (const { place, file } of await unmoved(others, isWanted, abandoned)) {
      if (!(await store.move(place, { folder: own, name: place.name }))) continue;
      log.warn({ file: shownName(place.name) }, "importing a file that another adapter claimed and abandoned");
      // Finished before the next one starts: another file of the same name would overwrite it.
      if (!(await take(file, intake, Number.NaN))) return false;
      await markers?.letGo(file, place.folder);
    }
    return true;
  };

  /** The files of these folders that have been there for so long that whoever put them there has stopped. */
  const unmoved = async (others: readonly string[], isOne: (name: string) => boolean, since: typeof abandoned) => {
    const found: { place: Place; file: ListedFile; keyed: ListedFile }[] = [];
    for (const other of others.slice(0, filesPerSweep)) {
      const { files } = await store.list(other, isOne, filesPerSweep);
      for (const file of files) {
        const keyed = { ...file, name: `${other}/${file.name}` };
        found.push({ place: { folder: other, name: file.name }, file, keyed });
      }
    }
    const unmovedMs = since(found.map(({ keyed }) => keyed));
    return found.filter(({ keyed }) => unmovedMs(keyed) >= abandonedMs);
  };

  /** Claims a file by renaming it: the first adapter to do so owns it, and for the others it no longer exists. */
  const claim = async (file: ListedFile): Promise<boolean> => {
    if (markers !== null && !(await markers.claim(file))) return false;
    if (await store.move({ folder, name: file.name }, { folder: own, name: file.name })) return true;
    await markers?.letGo(file);
    return false;
  };

  /**
   * Importing the files before it may have taken minutes. A file that was written again since then is left for a later
   * sweep. Some servers tell another size or time here than in a list: such a file is left only once.
   */
  const isChanged = async (listed: ListedFile): Promise<boolean> => {
    const found = await store.find({ folder, name: listed.name });
    if (found === null) return false;
    const isAsBefore = [stampOf(listed), left.get(listed.name)].includes(stampOf(found));
    if (isAsBefore) left.delete(listed.name);
    else if (left.size < mostWaiting) left.set(listed.name, stampOf(found));
    return !isAsBefore;
  };

  const takeAll = async (intake: Intake): Promise<boolean> => {
    if (!(await takeOwn(intake))) return false;
    if (!(await adopt(intake))) return false;
    const { files, unusable } = await store.list(folder, (name) => isWanted(name) || isMarker(name), mostWaiting);
    warnOf(unusable);
    const wanted = files.filter(({ name }) => isWanted(name));
    const unchangedMs = settled(wanted);
    const isMarked = await markers?.markedFilter(wanted, new Set(files.map(({ name }) => name).filter(isMarker)));
    const complete = wanted.filter((file) => isMarked?.(file) ?? unchangedMs(file) >= settleSeconds * 1000);
    if (complete.length > 0) await noteClaims();
    for (const file of complete.slice(0, filesPerSweep)) {
      if (needs.isStopping()) return false;
      if ((await isChanged(file)) || !(await claim(file))) continue;
      if (!(await take(file, intake))) return false;
    }
    return complete.length > filesPerSweep;
  };

  return async (intake) => {
    // What went wrong in a sweep that did not come to its end is no trouble of this one.
    away.takeTrouble();
    if (!isPrepared) {
      await store.checkFolder(folder, { write: false });
      for (const path of [own, folderPath(folder, done), folderPath(folder, error)]) await makeNeeded(path);
      await markers?.prepare();
      isPrepared = true;
    }
    try {
      await away.moveHeld(own);
      const hasMore = await takeAll(intake);
      const trouble = away.takeTrouble();
      // Only now: a folder for finished files that takes none must not hold up the files that come in.
      if (trouble !== null) throw new FilesHeld(trouble, hasMore);
      return hasMore;
    } catch (error) {
      // Somebody may have removed the folders: they are created again when the store is back.
      isPrepared = false;
      throw error;
    }
  };

  /** Before the first file: files must not be moved to a folder that may be a link to elsewhere. */
  async function makeNeeded(path: string): Promise<void> {
    try {
      await store.makeFolder(path);
    } catch (failure) {
      const { kind, message } = failure instanceof Fault ? failure : new Fault("unreachable", String(failure));
      const text = `the folder "${shownName(path)}" is needed before anything is imported: ${message}`;
      throw new Fault(kind, text, { cause: failure });
    }
  }

  function warnOf(unusable: readonly string[]): void {
    for (const name of unusable) {
      if (named.has(name) || named.size >= filesPerSweep) continue;
      named.add(name);
      log.warn({ file: shownName(name) }, "file not imported: its name cannot be used; rename the file");
    }
  }
}

/** Whether a name matches a pattern: `*` matches any characters, `?` matches one; case-insensitive. */
export function namePattern(pattern: string): (name: string) => boolean {
  const wanted = [...pattern.normalize("NFC").toLowerCase()];
  return (name) => fits(wanted, [...name.normalize("NFC").toLowerCase()]);
}

/** Backtracks only to the last star: backtracking to all of them, a name of many equal letters would take years. */
function fits(pattern: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (next < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = next;
    } else if (pattern[at] === "?" || (at < pattern.length && pattern[at] === name[next])) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
