import { extname } from "node:path";

/**
 * The URL of a module started by name (a worker, an inline projection). The extension is the caller's own:
 * `.ts` in the checkout, `.js` in the published build, where no `.ts` file exists.
 */
export function moduleUrl(pathWithoutExtension: string, callerUrl: string): URL {
  return new URL(`${pathWithoutExtension}${extname(new URL(callerUrl).pathname)}`, callerUrl);
}
