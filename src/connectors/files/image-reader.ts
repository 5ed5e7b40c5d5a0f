import { faultOfError } from "../../http-client/answers/judge-answer.ts";
import { httpClient } from "../../http-client/http-client.ts";
import type { Network } from "../../http-client/network/proxy-choice.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { imageKind, type Outcome, ok, refuse } from "../../operation/outcome.ts";
import type { CallContext } from "../../sdk/connector.ts";
import type { ImageOptions } from "./options.ts";
import { type FileStore, folderPath, isUsableName, namePart, shownName } from "./store/file-store.ts";

const maxImageBytes = 8 * 2 ** 20;
const timeouts = { connectMs: 2_000, headersMs: 3_000, totalMs: 5_000 };

export interface ImageReader {
  readonly read: (input: { readonly number: string }, context: CallContext) => Promise<Outcome<"getItemImage">>;
  readonly close: () => void;
}

/** Reads item images from a folder or from URLs. */
export function imageReader(options: ImageOptions, needs: Network & { readonly store: FileStore }): ImageReader {
  const find = options.url === undefined ? fromFolder(options, needs.store) : fromUrl(options.url, options, needs);
  return {
    read: async ({ number }, { signal }) => {
      const bytes = await find.image(number, signal);
      if (bytes === null) return refuse("ImageDoesNotExist", say("items.no-image", { number: shownName(number) }));
      if (imageKind(bytes) === null)
        throw new Fault("rejected", `the file for item "${shownName(number)}" is not an image`);
      return ok(Buffer.from(bytes).toString("base64"));
    },
    close: find.close,
  };
}

interface Finder {
  readonly image: (number: string, signal: AbortSignal) => Promise<Uint8Array | null>;
  readonly close: () => void;
}

function fromFolder(
  { folder: given = "", pattern = "{itemNumber}.{png|jpg|jpeg|webp|gif}" }: ImageOptions,
  store: FileStore,
): Finder {
  const folder = folderPath(given);
  const [, extensions = ""] = /\{([^}]*\|[^}]*)\}/.exec(pattern) ?? [];
  const patterns =
    extensions === "" ? [pattern] : extensions.split("|").map((one) => pattern.replace(`{${extensions}}`, one));
  return {
    image: async (number) => {
      // The item number itself if it is a valid file name, otherwise with its special characters escaped.
      for (const written of new Set([number, namePart(number)])) {
        for (const one of patterns) {
          const name = one.replaceAll("{itemNumber}", () => written);
          if (!isUsableName(name)) continue;
          const bytes = await store.read({ folder, name }, maxImageBytes);
          if (bytes === "too-large") throw new Fault("rejected", `the image "${shownName(name)}" is larger than 8 MiB`);
          if (bytes !== null) return bytes;
        }
      }
      // A drive that is not mounted has no file either: that is a fault of the store, not the answer "no image".
      await store.checkFolder(folder, { write: false });
      return null;
    },
    close: () => {},
  };
}

function fromUrl(template: string, { allowPrivate, proxy }: ImageOptions, { resolve, environment }: Network): Finder {
  const addressOf = (number: string) => new URL(template.replaceAll("{itemNumber}", () => encodeURIComponent(number)));
  const home = addressOf("x");
  if (!/^https?:$/.test(home.protocol)) throw new Fault("invalid", "images.url must begin with http:// or https://");
  const client = httpClient({
    url: home,
    allowPrivate,
    proxy,
    timeouts,
    maxAnswerBytes: maxImageBytes,
    decodes: false,
    resolve,
    environment,
  });
  return {
    image: async (number, signal) => {
      // ".." would address the folder above the images.
      if (/^\.{1,2}$/.test(number)) return null;
      const request = { method: "GET", url: addressOf(number), headers: { accept: "image/*" }, signal };
      const answer = await client.send(request).catch((error: unknown) => {
        throw faultOfError(error, (text) => text);
      });
      if (answer.status === 404 || answer.status === 410) return null;
      if (answer.status !== 200) throw new Fault("rejected", `the image server answered with status ${answer.status}`);
      if (answer.unread !== null) throw new Fault("rejected", "the image is compressed or larger than 8 MiB");
      return answer.body;
    },
    close: client.close,
  };
}
