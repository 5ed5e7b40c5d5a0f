import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
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
  ["adapter.json", 1],
];

export interface PlantedDamage {
  readonly file: string;
  readonly how: string;
}

/** Damages one file of a data folder. Sometimes an older copy replaces the database. */
export function plantDamage(dataFolder: string, older: string, random: RandomSource): PlantedDamage {
  if (random.chance(0.03)) {
    copyFileSync(older, join(dataFolder, "crossdock.db"));
    return { file: "crossdock.db", how: "replaced by an older copy" };
  }
  const there = targets.filter(([name]) => {
    const file = join(dataFolder, name);
    return existsSync(file) && statSync(file).size > 0;
  });
  const lots = there.flatMap(([file, weight]) => Array<string>(weight).fill(file));
  const name = lots[within(random, lots.length)] ?? "crossdock.db";
  const names = Object.keys(kinds);
  const spoil = kinds[names[within(random, names.length)] ?? "flip"] ?? (() => "");
  return { file: name, how: spoil(join(dataFolder, name), random) };
}
