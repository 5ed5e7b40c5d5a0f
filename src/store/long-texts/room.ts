import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";

export interface Room {
  /** Resolves when there is room for so many bytes. Call the returned function once they are not kept any more. */
  readonly enter: (bytes: number) => Promise<() => void>;
}

/** Limits how many bytes are kept at a time. Who comes first gets room first; alone, anybody does. */
export function openRoom({ most, mostWaiting }: { readonly most: number; readonly mostWaiting: number }): Room {
  const waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  let used = 0;
  const isRoom = (bytes: number) => used === 0 || used + bytes <= most;

  const leaving = (bytes: number) => () => {
    used -= bytes;
    for (let [next] = waiting; next !== undefined && isRoom(next.bytes); [next] = waiting) {
      waiting.shift();
      used += next.bytes;
      next.enter();
    }
  };

  return {
    enter: async (bytes) => {
      if (waiting.length === 0 && isRoom(bytes)) {
        used += bytes;
        return leaving(bytes);
      }
      if (waiting.length >= mostWaiting) {
        const operatorText = say("general.busy");
        throw new Fault("unreachable", `${waiting.length} answers with long texts wait already`, { operatorText });
      }
      await new Promise<void>((resolve) => waiting.push({ bytes, enter: resolve }));
      return leaving(bytes);
    },
  };
}
