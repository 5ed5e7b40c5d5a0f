import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

interface Picture {
  readonly chromium: string;
  /** A page without external resources. */
  readonly html: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
}

/** Opens the page in a real browser without network access, and takes a picture of its top. */
export async function takePicture({ chromium, html, file, width, height }: Picture): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-picture-"));
  try {
    const page = join(folder, "page.html");
    writeFileSync(page, html);
    await promisify(execFile)(
      chromium,
      [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"],
        // Anything that the page would load from outside must be missing in the picture.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        `--user-data-dir=${join(folder, "profile")}`,
        `--window-size=${width},${height}`,
        `--screenshot=${file}`,
        `file://${page}`,
      ],
      { timeout: 60_000 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
