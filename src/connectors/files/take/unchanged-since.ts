import type { Clock } from "../../../kit/clock.ts";
import type { ListedFile } from "../store/file-store.ts";

/**
 * How long files have looked the same to us. By our own watch: the clock of a file server, and so the time of a file,
 * may be hours off. Remembers only the files of the latest look.
 */
export function unchangedSince(clock: Clock): (files: readonly ListedFile[]) => (file: ListedFile) => number {
  let seen = new Map<string, { look: string; since: number }>();
  return (files) => {
    const now = clock.now();
    const latest: typeof seen = new Map();
    for (const { name, size, modifiedMs } of files) {
      const look = `${size} ${modifiedMs}`;
      const earlier = seen.get(name);
      latest.set(name, earlier?.look === look ? earlier : { look, since: now });
    }
    seen = latest;
    return ({ name }) => now - (latest.get(name)?.since ?? now);
  };
}
