import type { PollOptions } from "./poll-options.ts";

/** What a poll may miss by the way it is described. */
export function pollWarnings(polls: readonly PollOptions[]): string[] {
  return polls.flatMap(({ topic, since, page, compareEveryHours }) => {
    if (since === undefined) return [];
    const found: string[] = [];
    if (page?.by === "offset" || page?.by === "page") {
      found.push(
        `poll of ${topic}: a record that changes while pages are read by ${page.by} moves to another page and may be missed until the next full comparison; sort by a field that never changes, or page by cursor`,
      );
    }
    if (compareEveryHours === 0) found.push(neverCompared(topic));
    return found;
  });
}

const neverCompared = (topic: string) =>
  `poll of ${topic}: with \`compareEveryHours: 0\` a record that is committed later than \`overlapSeconds\` is missed for good`;
