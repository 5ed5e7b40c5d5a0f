import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../stage.ts";
import { runTool, unmountWhenFree } from "./tools.ts";

/** A small separate disk. */
export interface Volume {
  readonly folder: string;
  /**
   * Cuts the power: everything that was not flushed to the disk is lost. No process may have files open when the volume
   * is mounted again.
   */
  readonly cutPower: () => void;
  /** Mounts the volume again, with the file system's own recovery. */
  readonly remount: () => Promise<void>;
}

export function openVolume(stage: Stage, kind: "xfs" | "ext4", sizeMiB: number): Volume {
  const folder = stage.folder(`${kind}-mount`);
  const image = join(stage.folder(`${kind}-image`), "disk.img");
  const file = openSync(image, "w");
  ftruncateSync(file, sizeMiB * 2 ** 20);
  closeSync(file);
  runTool(`mkfs.${kind}`, "-q", kind === "xfs" ? "-f" : "-F", image);
  const device = runTool("losetup", "--find", "--show", image);
  let mounted = false;
  stage.onEnd(() => runTool("losetup", "--detach", device));
  stage.onEnd(async () => {
    if (mounted) await unmountWhenFree(folder);
  });
  const mount = () => {
    runTool("mount", device, folder);
    mounted = true;
  };
  mount();
  return {
    folder,
    // Without -f the file system's log is not flushed either, as in a real power cut.
    cutPower: () => void runTool("xfs_io", "-x", "-c", "shutdown", folder),
    remount: async () => {
      await unmountWhenFree(folder);
      mounted = false;
      mount();
    },
  };
}

/** A disk in memory that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  readonly fill: () => void;
  readonly free: () => void;
}

export function openSmallDisk(stage: Stage, sizeMiB: number): SmallDisk {
  const folder = stage.folder("small-disk");
  runTool("mount", "-t", "tmpfs", "-o", `size=${sizeMiB}m`, "tmpfs", folder);
  stage.onEnd(() => unmountWhenFree(folder));
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => {
      const file = openSync(filler, "a");
      for (const size of [2 ** 22, 2 ** 16, 2 ** 12]) while (hasWritten(file, size));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
  };
}

function hasWritten(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size, 1)) === size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
