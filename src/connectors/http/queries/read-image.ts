import { readLongAnswer } from "../../../http-client/answers/read-answer.ts";
import type { Answer } from "../../../http-client/answers/read-body.ts";
import { memberAt, type Scope } from "../../../http-client/answers/template.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import { imageKind } from "../../../operation/outcome.ts";
import type { QueryOptions } from "../options/operation-options.ts";
import type { Workbench } from "../workbench.ts";
import { type FetchedPage, fetchPage, type PageFetch } from "./fetch-pages.ts";
import { encodedBase64, plainBase64 } from "./plain-base64.ts";

export type ImageFound = { readonly base64: string } | { readonly none: string | undefined };

/**
 * Reads an item's image from any form a system may answer with: bytes, Base64 with or without a `data:` prefix and line
 * breaks, or an address. With `detail`, the first answer only tells what to request next.
 */
export function imageReader(options: QueryOptions, isNone: PageFetch["isNone"], bench: Workbench) {
  const { settings } = bench;
  const { records, detail, method: _method, query: _query, body: _body, ...request } = options;
  // An image has its own media type; all other rules are those of the connector.
  const asImage = { ...request, success: { mediaType: "*/*", ...(options.success ?? settings.success) } };
  const { records: _path, detail: _detail, ...asked } = options;
  const first =
    detail === undefined
      ? bench.fetch({ ...asked, ...asImage }, isNone)
      : bench.fetch({ ...asked, ...(records === undefined ? {} : { records }) }, isNone);
  const second =
    detail === undefined
      ? undefined
      : bench.fetch(
          { ...asImage, path: detail.path, ...(detail.query === undefined ? {} : { query: detail.query }) },
          isNone,
        );

  return async (scope: Scope, signal: AbortSignal): Promise<ImageFound> => {
    const page = await fetchPage(first, scope, signal);
    if (page.isNone) return { none: page.words };
    if (second === undefined) return imageOf(page, records, signal, bench);
    const [record] = page.records;
    if (record === undefined) return { none: undefined };
    const detailPage = await fetchPage(second, { ...scope, record }, signal);
    return detailPage.isNone ? { none: detailPage.words } : imageOf(detailPage, detail?.records, signal, bench);
  };
}

/** The image in an answer: its bytes, or the value at the path in its JSON. */
async function imageOf(
  { answer, json, url }: Pick<FetchedPage, "answer" | "json" | "url">,
  path: string | undefined,
  signal: AbortSignal,
  { imageAt }: Workbench,
): Promise<ImageFound> {
  if (imageKind(answer.body) !== null) return { base64: await encodedBase64(answer.body) };
  const text = json === undefined ? answer.body.toString("latin1") : textOf(memberAt(json, path ?? "$"));
  if (text === "") return { none: undefined };
  const base64 = text === null ? null : await plainBase64(text);
  if (base64 !== null) return { base64 };
  const address = text === null ? undefined : addressIn(text, url);
  if (address === undefined) throw noImage("the answer holds no PNG, JPEG, WebP or GIF");
  const fetched = await imageAt(address, signal);
  if (fetched.status === 404) return { none: undefined };
  const found = await imageIn(fetched);
  if (found === null) throw noImage(`there is no PNG, JPEG, WebP or GIF at the address in the answer`);
  return { base64: found };
}

/** Reads the image at an address: bytes or Base64. */
async function imageIn(answer: Answer): Promise<string | null> {
  if (answer.status !== 200 || answer.unread !== null) return null;
  if (imageKind(answer.body) !== null) return await encodedBase64(answer.body);
  const { json, text } = await readLongAnswer(answer);
  return await plainBase64(typeof json === "string" ? json : text);
}

/**
 * The text of a value; empty if there is no image, null if the value cannot be one. Some systems wrap bytes in an
 * object.
 */
function textOf(found: unknown): string | null {
  if (found === undefined || found === null || found === false) return "";
  if (Array.isArray(found)) return found.length === 0 ? "" : null;
  if (typeof found === "string") return found.trim();
  if (typeof found !== "object") return null;
  if (Object.keys(found).length === 0) return "";
  const inner = memberAt(found, "base64") ?? memberAt(found, "data");
  return typeof inner === "string" ? inner.trim() : null;
}

/** A URL, or a path on the same host. */
function addressIn(text: string, base: URL): URL | undefined {
  if (!/^(https?:)?\/|^\.{0,2}\/?[\w./%-]+\.(png|jpe?g|webp|gif)(\?.*)?$/i.test(text)) return undefined;
  return URL.canParse(text, base.href) ? new URL(text, base) : undefined;
}

const noImage = (reason: string): Fault => new Fault("rejected", reason, { operatorText: say("http.unreadable") });
