import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { RandomSource } from "../random-source.ts";

/** Damages a file. Returns a description with which the damage can be repeated. */
type Spoil = (file: string, random: RandomSource) => string;

const within = (random: RandomSource, limit: number) => Math.floor(random.below(Math.max(1, limit)));

function change(file: string, at: number, bytes: (old: Buffer) => Buffer, length: number): void {
  const content = readFileSync(file);
  bytes(content.subarray(at, at + length)).copy(content, at);
  writeFileSync(file, content);
}

const kinds: Readonly<Record<string, Spoil>> = {
  flip: (file, random) => {
    const at = within(random, statSync(file).size);
    const bit = 1 << within(random, 8);
    change(file, at, (old) => Buffer.from(old.map((byte) => byte ^ bit)), 1);
    return `bit ${bit} flipped at ${at}`;
  },
  zero: (file, random) => {
    const at = within(random, statSync(file).size / 512) * 512;
    change(file, at, (old) => Buffer.alloc(old.length), 512);
    return `512 bytes from ${at} zeroed`;
  },
  garbage: (file, random) => {
    const at = within(random, statSync(file).size);
    change(file, at, (old) => Buffer.from(old.map(() => within(random, 256))), 64);
    return `64 bytes from ${at} overwritten`;
  },
  cut: (file, random) => {
    const size = within(random, statSync(file).size);
    truncateSync(file, size);
    return `cut off at ${size}`;
  },
  halve: (file) => {
    truncateSync(file, Math.floor(statSync(file).size / 2));
    return "halved";
  },
  remove: (file) => {
    rmSync(file);
    return "deleted";
  },
  empty: (file) => {
    truncateSync(file);
    return "emptied";
  },
  folder: (file) => {
    rmSync(file);
    mkdirSync(file);
    return "replaced by a folder";
  },
};

const isOfJournal = (name: string) => name.startsWith("crossdock.db") && !name.includes(".lock");

function remove(folder: string, isMeant: (name: string) => boolean): void {
  for (const name of readdirSync(folder).filter(isMeant)) rmSync(join(folder, name));
}

/** What people do to several files at once. What is left agrees with itself. */
const together: Readonly<Record<string, (dataFolder: string, older: string) => void>> = {
  "all replaced by an older set": (dataFolder, older) => {
    remove(dataFolder, isOfJournal);
    for (const name of readdirSync(older).filter(isOfJournal)) copyFileSync(join(older, name), join(dataFolder, name));
  },
  "all deleted": (dataFolder) => remove(dataFolder, isOfJournal),
  "log, witness and answers deleted": (dataFolder) =>
    remove(dataFolder, (name) => /^crossdock\.db(-wal|-shm|\.witness|\.answers)$/.test(name)),
};

/** The files to damage, by weight. Database and log have the highest weights, because they contain the entries. */
const targets: readonly (readonly [name: string, weight: number])[] = [
  ["crossdock.db", 30],
  ["crossdock.db-wal", 40],
  ["crossdock.db-shm", 3],
  ["crossdock.db.witness", 6],
  ["crossdock.db.sums", 6],
  ["crossdock.db.answers", 3],
  ["crossdock.db.lock", 2],
  ["intake.db", 5],
  ["intake.db-wal", 5],
  ["notes.db", 3],
  ["notes.db-wal", 3],
  ["alarms.db", 3],
  ["senders.db", 3],
  ["fallback.db", 2],
  ["journal-mark", 4],
  ["opened-files", 2],
  ["adapter.json", 1],
];

export interface PlantedDamage {
  readonly file: string;
  readonly how: string;
  /** Whether a folder is in the place of the file. */
  readonly isFolder: boolean;
}

/**
 * Damages one file of a data folder, or all files of the journal. Sometimes files of an older copy of the folder replace
 * them.
 */
export function plantDamage(dataFolder: string, older: string, random: RandomSource): PlantedDamage {
  if (random.chance(0.03)) {
    copyFileSync(join(older, "crossdock.db"), join(dataFolder, "crossdock.db"));
    return { file: "crossdock.db", how: "replaced by an older copy", isFolder: false };
  }
  if (random.chance(0.12)) {
    const ways = Object.entries(together);
    const [how, spoil] = ways[within(random, ways.length)] ?? ["", () => {}];
    spoil(dataFolder, older);
    return { file: "crossdock.db*", how, isFolder: false };
  }
  const there = targets.filter(([name]) => {
    const file = join(dataFolder, name);
    return existsSync(file) && statSync(file).size > 0;
  });
  const lots = there.flatMap(([file, weight]) => Array<string>(weight).fill(file));
  const name = lots[within(random, lots.length)] ?? "crossdock.db";
  const names = Object.keys(kinds);
  const kind = names[within(random, names.length)] ?? "flip";
  const spoil = kinds[kind] ?? (() => "");
  return { file: name, how: spoil(join(dataFolder, name), random), isFolder: kind === "folder" };
}
