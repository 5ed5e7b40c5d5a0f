import type { Answer } from "../../../http-client/answers/read-body.ts";
import { memberAt } from "../../../http-client/answers/template.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import { nextLink, type PageOptions } from "./page-options.ts";

/** How far the pages of a list were read. */
export interface Place {
  page: number;
  offset: number;
  cursor: string | undefined;
  url: URL | undefined;
}

export const firstPlace = (page: PageOptions | undefined): Place => ({
  page: page?.start ?? 1,
  offset: 0,
  cursor: undefined,
  url: undefined,
});

export function pageParameters(page: PageOptions | undefined, place: Place): Record<string, string> {
  if (page === undefined) return {};
  const { by, param, size, sizeParam } = page;
  const value = by === "page" ? String(place.page) : by === "offset" ? String(place.offset) : place.cursor;
  return {
    ...(param === undefined || value === undefined ? {} : { [param]: value }),
    ...(sizeParam === undefined || size === undefined ? {} : { [sizeParam]: String(size) }),
  };
}

interface Turn {
  readonly page: PageOptions;
  readonly place: Place;
  readonly json: unknown;
  readonly answer: Answer;
  readonly url: URL;
  readonly count: number;
  readonly firstLength: number;
}

/** Moves on to the next page; false if this was the last. */
export function isNext({ page, place, json, answer, url, count, firstLength }: Turn): boolean {
  const total = page.total === undefined ? undefined : Number(memberAt(json, page.total));
  if (page.by === "page" || page.by === "offset") {
    place.page++;
    if (total !== undefined && Number.isFinite(total)) return count > 0 && place.offset < total;
    // Many systems return fewer records than requested on every page. Only a page shorter than the first is the last.
    return count > 0 && count >= firstLength;
  }
  if (page.by === "cursor") {
    const found = memberAt(json, page.path ?? "");
    place.cursor = found === undefined || found === null || found === false ? undefined : String(found);
    return place.cursor !== undefined && place.cursor !== "";
  }
  place.url = page.by === "link" ? nextLink(answer.headers.link, url) : addressAt(json, nextPathOf(page), url);
  return place.url !== undefined;
}

/** The path of the next page's address in the answer. */
export const nextPathOf = ({ path = "@odata.nextLink" }: PageOptions): string => path;

/** Returns the address of the next page; undefined at the end of the list. */
function addressAt(json: unknown, path: string, base: URL): URL | undefined {
  const found = memberAt(json, path);
  if (found === undefined || found === null || found === false || found === "") return undefined;
  if (typeof found === "string" && URL.canParse(found, base.href)) return new URL(found, base);
  // Treating this value as the end of the list would lose all further pages silently.
  const shown = JSON.stringify(found).slice(0, 100);
  throw new Fault("rejected", `${shown} at ${path} is no address of the next page; check \`page.path\``, {
    operatorText: say("http.unreadable"),
  });
}
