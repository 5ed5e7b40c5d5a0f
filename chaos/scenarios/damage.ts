import { copyFileSync, existsSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { recoverFolder } from "../../src/app/backup/recover-folder.ts";
import { openIntakeFile } from "../../src/engine/quarantine/open-quarantine.ts";
import { openMark, readMark } from "../../src/journal/sqlite/damage/journal-mark.ts";
import { readWitness } from "../../src/journal/sqlite/damage/witness.ts";
import { silentLog } from "../../src/kit/log.ts";
import { readLog } from "../../src/kit/sqlite/sqlite-log.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { connectorStates } from "../../src/runtime/connector-state.ts";
import { checkOn, copyOf, hideWriting, type Started, startOn } from "../harness/disks/damaged-folder.ts";
import { type PlantedDamage, plantDamage } from "../harness/disks/plant-damage.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { defineScenario } from "../harness/scenario.ts";
import { startService } from "../harness/service/service.ts";
import type { Stage } from "../harness/stage.ts";
import { pause } from "../harness/wait.ts";

/** Longer than the writer waits before a checkpoint. */
const pauseMs = 400;
const longestLifeMs = 20_000;
const wholeEvery = 5;

interface Killed {
  readonly folder: string;
  /** An older copy of the folder. */
  readonly older: string;
  /** The results without damage: of a whole start, and of the check alone. */
  readonly started: Sound;
  readonly checked: Sound;
  /** The number of the last acknowledged entry. */
  readonly lastSeq: number;
  readonly acknowledged: number;
}

/** A data folder as it is after kill -9 under load, with content in each of its files. */
async function killed(stage: Stage, nth: number, upToEvents: number): Promise<Killed> {
  const own = stage.folder(`life-${nth}`);
  const service = await startService({ stage, folder: own });
  const floor = openFloor({ name: `D${nth}`, connections: 16, eventsPerOrder: 20, mix: "mixed" });
  const shift = floor.work(service.url);
  await floor.untilAcknowledged(Math.ceil(upToEvents / 3), longestLifeMs);
  const folder = join(own, "data");
  // A checkpoint in the middle, so that both the database and the log contain a part of the events.
  await shift.stop();
  await pause(pauseMs);
  const older = copyOf(folder, join(own, "older"));
  const rest = floor.work(service.url);
  await floor.untilAcknowledged(upToEvents, longestLifeMs);
  await service.end("SIGKILL");
  await rest.stop();
  cutUnwitnessed(join(folder, "crossdock.db"));
  bringMark(join(folder, "crossdock.db"));
  fillSideFiles(folder, own);
  const started = soundly(await startOn(copyOf(folder, join(own, "sound"))));
  const checked = soundly(await checkOn(copyOf(folder, join(own, "sound"))));
  const lastSeq = readWitness(join(folder, "crossdock.db")).witness?.lastSeq ?? 0;
  return { folder, older, started, checked, lastSeq, acknowledged: floor.acknowledged() };
}

/**
 * Cuts off the end of the log after the last commit that the witness knows. A kill during the fsync of a commit leaves
 * such an end; that commit was not acknowledged, so losing it is allowed. After this cut, no byte of the log may be
 * lost.
 */
function cutUnwitnessed(databaseFile: string): void {
  const { witness } = readWitness(databaseFile);
  const log = readLog(`${databaseFile}-wal`);
  if (witness === null || log === null || !existsSync(`${databaseFile}-wal`)) return;
  const isSame = log.salts[0] === witness.salts[0] && log.salts[1] === witness.salts[1];
  if (isSame && log.frames > witness.frames) {
    truncateSync(`${databaseFile}-wal`, logHeadBytes + witness.frames * (frameHeadBytes + log.pageBytes));
  }
}

/**
 * Writes what the mark would have said some milliseconds later. If log, witness and answers are deleted together, nobody
 * misses entries of this short time, and the documentation says so.
 */
function bringMark(databaseFile: string): void {
  const { mark } = readMark(databaseFile);
  const { witness } = readWitness(databaseFile);
  if (mark === null || witness === null) throw new Error("a killed service has left no mark, or no witness");
  openMark(databaseFile, { ...mark, lastSeq: witness.lastSeq }).abandon();
}

const logHeadBytes = 32;
const frameHeadBytes = 24;

type Sound = Exclude<Started, { refused: string }>;

function soundly(started: Started): Sound {
  if ("refused" in started) throw new Error(`an undamaged folder is refused: ${started.refused}`);
  return started;
}

/** Fills the files beside the journal and copies them while they are open, as a kill would leave them. */
function fillSideFiles(folder: string, own: string): void {
  const living = copyOf(folder, join(own, "living"));
  const parts = { dataFolder: living, clock: systemClock, timers: systemTimers, log: silentLog };
  const { quarantine, knownRecords, close } = openIntakeFile(parts);
  for (let nth = 1; nth <= 20; nth++) {
    quarantine.keep({ source: "erp", kind: "workOrders", number: `Q-${nth}`, problems: [], raw: { nth } });
    knownRecords.remember([{ source: "erp", topic: "workOrders", number: `S-${nth}`, part: "", digest: `d${nth}` }]);
  }
  quarantine.flush();
  const notes = connectorStates({ dataFolder: living, log: silentLog });
  void notes.of("erp").write("since", "2026-01-05T08:00:00Z");
  for (const name of ["intake.db", "notes.db"]) {
    for (const part of ["", "-wal", "-shm"]) copyFileSync(join(living, name + part), join(folder, name + part));
  }
  copyFileSync(join(living, "opened-files"), join(folder, "opened-files"));
  close();
  notes.close();
}

/** Counts entries up to the last acknowledged number, because later entries were not acknowledged. */
function entriesIn(started: Started, upTo = Number.POSITIVE_INFINITY): number {
  if ("refused" in started) return 0;
  // The rows of the table, written as JSON above.
  const rows = JSON.parse(started.tables.get("entry") ?? "[]") as { seq: number }[];
  return rows.filter(({ seq }) => seq <= upTo).length;
}

interface Verdict {
  readonly kind: "refused" | "beside" | "whole" | "told" | "silent";
  readonly text: string;
}

function judged(started: Started, sound: Sound, damage: PlantedDamage): Verdict {
  const what = `${damage.file} ${damage.how}`;
  if ("refused" in started) return { kind: "refused", text: `${what}: ${started.refused}` };
  if (started.foundInBackground !== null) return { kind: "beside", text: `${what}: ${started.foundInBackground}` };
  const changed = [...sound.tables].filter(([name, rows]) => started.tables.get(name) !== rows).map(([name]) => name);
  if (changed.length > 0) return { kind: "silent", text: `${what}: started, and ${changed.join(", ")} changed` };
  if (started.sideFiles === sound.sideFiles) return { kind: "whole", text: what };
  const isReported = started.notices.some((line) => line.includes(damage.file.replace(/-(wal|shm)$/, "")));
  return { kind: isReported ? "told" : "silent", text: `${what}: beside ${started.sideFiles}` };
}

export const damage = defineScenario({
  name: "damage",
  summary:
    "Files of a killed service (database, log, side files) are damaged at random: either nothing is missing, or the service refuses to start, says what is missing and can be recovered.",
  full: { damages: 300, lives: 6, upToEvents: 1500 },
  short: { damages: 15, lives: 1, upToEvents: 400 },
  run: async ({ damages, lives, upToEvents }, stage) => {
    const verdicts: Verdict[] = [];
    const violations: string[] = [];
    let acknowledged = 0;
    let recovered = 0;
    let complete = 0;
    let planted = 0;
    for (let life = 1; life <= lives; life++) {
      const before = await killed(stage, life, upToEvents);
      const { folder, older } = before;
      acknowledged += before.acknowledged;
      for (const _ of stage.rounds({ most: Math.ceil(damages / lives) })) {
        planted++;
        const copy = copyOf(folder, join(stage.folder(`life-${life}`), "copy"));
        const done = plantDamage(copy, older, stage.random);
        if (done.isFolder) {
          const first = await startOn(copy);
          if (!("refused" in first && first.refused.startsWith(`${done.file} in ${copy}: a folder`))) {
            violations.push(`a folder in the place of ${done.file} is not named: ${JSON.stringify(first)}`);
          }
          // What the message says is done, and the next start tells what is missing.
          rmSync(join(copy, done.file), { recursive: true });
        }
        // If only the journal's own files are damaged, one in five runs makes a whole start.
        const isWhole = !done.file.startsWith("crossdock.db") || planted % wholeEvery === 0;
        // Every second damage of the database is hidden: the file's modification time does not show it.
        if (done.file === "crossdock.db" && planted % 2 === 0) hideWriting(copy);
        const started = isWhole ? await startOn(copy) : await checkOn(copy);
        const sound = isWhole ? before.started : before.checked;
        const verdict = judged(started, sound, done);
        verdicts.push(verdict);
        if (verdict.kind === "silent") violations.push(`lost silently: ${verdict.text}`);
        if (verdict.kind !== "refused" && verdict.kind !== "beside") continue;
        if (verdict.kind === "beside" && !("refused" in (await checkOn(copy)))) {
          violations.push(`damage was found while it ran, but the next start accepted it: ${verdict.text}`);
        }
        const report = recoverFolder(copy, { isMeant: true });
        if (report?.best == null) continue;
        recovered++;
        const isComplete = report.best.missing === null && report.best.doubtfulPages === 0;
        if (isComplete && (report.best.loss ?? null) === null) complete++;
        const again = isWhole ? await startOn(copy) : await checkOn(copy);
        if ("refused" in again) violations.push(`does not start after recover: ${verdict.text}; ${again.refused}`);
        const there = entriesIn(again);
        const { missing, loss } = report.best;
        const lost = [...(missing === null ? [] : [missing]), ...(loss?.entries ?? [])];
        const reportedLost = lost.reduce((sum, { from, to }) => sum + to - from + 1, 0);
        const were = entriesIn(sound, before.lastSeq);
        if (there + reportedLost < were) {
          violations.push(
            `recover reported ${reportedLost} lost entries, but ${were - there} are missing: ${verdict.text}`,
          );
        }
      }
      stage.say(`${planted} files damaged`);
    }
    const count = (kind: Verdict["kind"]) => verdicts.filter((one) => one.kind === kind).length;
    return {
      figures: [
        { what: "files damaged", value: planted, unit: "", bar: { at: "least", limit: damages } },
        { what: "acknowledged events before the kills", value: acknowledged, unit: "" },
        { what: "lost without any message", value: count("silent"), unit: "", bar: { at: "most", limit: 0 } },
        { what: "nothing was missing", value: count("whole"), unit: "" },
        { what: "data outside the journal was missing, and the log said so", value: count("told"), unit: "" },
        { what: "start refused, with a list of what is missing", value: count("refused"), unit: "" },
        { what: "found by the check in the background", value: count("beside"), unit: "" },
        { what: "of these two kinds, recovered", value: recovered, unit: "" },
        { what: "of these two kinds, recovered without loss", value: complete, unit: "" },
      ],
      violations,
    };
  },
});
