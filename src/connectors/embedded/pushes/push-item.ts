import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { PushedItem } from "../../../contract/pushes.ts";
import { decodeBase64 } from "../../../kit/base64.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { Fault } from "../../../sdk/fault.ts";
import { imageKind } from "../../../sdk/image.ts";
import { fold } from "../fold.ts";

/** Takes in an item; true when that changed it. An item pushed again without an image keeps the one it has. */
export function pushItem(database: Database): (pushed: PushedItem) => boolean {
  const upsert = database.statement(
    `INSERT INTO item (number, folded, json) VALUES (?, ?, ?)
     ON CONFLICT (number) DO UPDATE SET json = excluded.json WHERE json <> excluded.json`,
  );
  const upsertImage = database.statement(
    `INSERT INTO item_image (number, mime, bytes) VALUES (?, ?, ?)
     ON CONFLICT (number) DO UPDATE SET mime = excluded.mime, bytes = excluded.bytes`,
  );
  return (pushed) => {
    const { image, ...item } = pushed;
    const changed = upsert.run(item.number, fold(item.number), itemText(item)).changes > 0;
    if (image !== null && image !== undefined) {
      const bytes = decodeBase64(image);
      const kind = bytes === null ? null : imageKind(bytes);
      // Refused before it was written down; here it can only be a slip of ours.
      if (bytes === null || kind === null) throw new Fault("invalid", `the image of item ${item.number} is no image`);
      upsertImage.run(item.number, `image/${kind}`, bytes);
    }
    return changed;
  };
}

/** As the platform gets it: the unit always written, what is null left out, what the contract does not know kept. */
function itemText(item: Omit<PushedItem, "image">): string {
  const written = Object.entries(item).filter(([, value]) => value !== null);
  return JSON.stringify({ unitOfMeasure: UnitOfMeasure.Piece, ...Object.fromEntries(written) });
}
