import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Intake } from "../../../sdk/intake.ts";
import { type FileStore, folderPath, type ListedFile, type Place, shownName } from "../store/file-store.ts";
import { claimedMarkers, unchangedSince } from "./claimed-markers.ts";
import { type TakeNeeds, takeFile } from "./take-file.ts";

/** Files taken in one go; with more, the next look follows at once. */
const filesPerSweep = 1_000;
/** So many are sorted by age before the first of them is taken: an order may stand in several, and the last must win. */
const mostWaiting = 200_000;
/** A claim of another adapter that has not moved for so long is one of an adapter that is gone. */
const abandonedMs = 3_600_000;

export interface SweepNeeds extends Omit<TakeNeeds, "doneFolder" | "errorFolder"> {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly isStopping: () => boolean;
}

/** One look into a folder: takes up what was claimed before, then claims and takes what is complete. True: there is more. */
export type Sweep = (intake: Intake) => Promise<boolean>;

export function createSweep(needs: SweepNeeds): Sweep {
  const { store, incoming, instance, clock, log } = needs;
  const { folder: given = "", marker, settleSeconds = 5, pattern = "*" } = incoming;
  const folder = folderPath(given);
  const claims = folderPath(folder, ".claimed");
  // By topic: two kinds of files may lie in one folder, and a claim of one must not be taken up as the other.
  const own = folderPath(claims, `${instance}-${incoming.topic}`);
  const doneFolder = folderPath(folder, incoming.done ?? "done");
  const errorFolder = folderPath(folder, incoming.error ?? "error");
  const fits = namePattern(pattern);
  const isWanted = (name: string) =>
    !name.startsWith(".") && fits(name) && (marker === undefined || !name.endsWith(marker));
  const isMarker = (name: string) => marker !== undefined && name.endsWith(marker) && name !== marker;
  const markers = marker === undefined ? null : claimedMarkers({ store, clock, log, folder, own, marker, abandonedMs });
  const settled = unchangedSince(clock);
  const abandoned = unchangedSince(clock);
  const named = new Set<string>();
  let isPrepared = false;

  const take = async (file: ListedFile, intake: Intake): Promise<boolean> => {
    const isOver = await takeFile({ folder: own, name: file.name }, intake, { ...needs, doneFolder, errorFolder });
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
    const found: { place: Place; file: ListedFile; keyed: ListedFile }[] = [];
    for (const other of others.slice(0, filesPerSweep)) {
      const { files } = await store.list(other, isWanted, filesPerSweep);
      for (const file of files) {
        const keyed = { ...file, name: `${other}/${file.name}` };
        found.push({ place: { folder: other, name: file.name }, file, keyed });
      }
    }
    const unmovedMs = abandoned(found.map(({ keyed }) => keyed));
    for (const { place, file, keyed } of found) {
      if (unmovedMs(keyed) < abandonedMs) continue;
      if (!(await store.move(place, { folder: own, name: place.name }))) continue;
      log.warn({ file: shownName(place.name) }, "a file is taken that another adapter had claimed and left");
      // To its end before the next: another of the same name would take its place.
      if (!(await take(file, intake))) return false;
      await markers?.letGo(file, place.folder);
    }
    return true;
  };

  /** Whoever renames it first has it; for all others it is gone. */
  const claim = async (file: ListedFile): Promise<boolean> => {
    if (markers !== null && !(await markers.claim(file))) return false;
    if (await store.move({ folder, name: file.name }, { folder: own, name: file.name })) return true;
    await markers?.letGo(file);
    return false;
  };

  return async (intake) => {
    if (!isPrepared) {
      await store.checkFolder(folder, { write: false });
      for (const path of [own, doneFolder, errorFolder]) await store.makeFolder(path);
      await markers?.prepare();
      isPrepared = true;
    }
    try {
      if (!(await takeOwn(intake))) return false;
      if (!(await adopt(intake))) return false;
      const { files, unusable } = await store.list(folder, (name) => isWanted(name) || isMarker(name), mostWaiting);
      warnOf(unusable);
      const wanted = files.filter(({ name }) => isWanted(name));
      const unchangedMs = settled(wanted);
      const isMarked = await markers?.look(wanted, new Set(files.map(({ name }) => name).filter(isMarker)));
      const complete = wanted.filter((file) => isMarked?.(file) ?? unchangedMs(file) >= settleSeconds * 1000);
      for (const file of complete.slice(0, filesPerSweep)) {
        if (needs.isStopping()) return false;
        if (!(await claim(file))) continue;
        if (!(await take(file, intake))) return false;
      }
      return complete.length > filesPerSweep;
    } catch (error) {
      // Somebody may have removed the folders: they are made again when the store is back.
      isPrepared = false;
      throw error;
    }
  };

  function warnOf(unusable: readonly string[]): void {
    for (const name of unusable) {
      if (named.has(name) || named.size >= filesPerSweep) continue;
      named.add(name);
      log.warn({ file: shownName(name) }, "a file is left where it is: its name cannot be used; rename it");
    }
  }
}

/** Whether a name fits a pattern in which `*` stands for any characters and `?` for one; letters count in any case. */
export function namePattern(pattern: string): (name: string) => boolean {
  const wanted = [...pattern.normalize("NFC").toLowerCase()];
  return (name) => fits(wanted, [...name.normalize("NFC").toLowerCase()]);
}

/** Goes back to the last star only: with all of them, a name of many equal letters would take years. */
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
