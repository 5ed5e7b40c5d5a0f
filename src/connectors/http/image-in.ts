import { decodeBase64 } from "../../kit/base64.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import { memberAt } from "../../sdk/http/member-at.ts";
import { imageKind } from "../../sdk/image.ts";
import type { FetchedPage } from "./fetch-pages.ts";

/** The image of an answer as Base64: its bytes, or a text in its JSON. Null where there is none. */
export function imageIn(
  { answer, json }: Pick<FetchedPage, "answer" | "json">,
  path: string | undefined,
): string | null {
  if (imageKind(answer.body) !== null) return answer.body.toString("base64");
  const found = path === undefined ? json : memberAt(json, path);
  if (
    found === undefined ||
    found === null ||
    found === false ||
    found === "" ||
    (Array.isArray(found) && found.length === 0)
  )
    return null;
  const text = typeof found === "string" ? found.replace(/^data:[^,]*,/, "") : "";
  const bytes = decodeBase64(text);
  if (bytes !== null && imageKind(bytes) !== null) return text;
  throw new Fault("rejected", "the answer holds no PNG, JPEG, WebP or GIF", { operatorText: say("http.unreadable") });
}
