import { pushRow } from "../../contract/pushes.ts";
import type { OptionProblem } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import { proxyProblems } from "../../sdk/http/proxy-option.ts";
import { mappingProblems } from "../../sdk/mapping/mapping-problems.ts";
import type { FilesOptions } from "./options.ts";
import { eventName } from "./out/event-name.ts";
import { eventSourceShape } from "./out/event-source.ts";
import { recordFilter } from "./read/record-filter.ts";
import { folderPath } from "./store/folder-path.ts";
import { sftpLogin } from "./store/sftp-login.ts";

type Path = readonly (string | number)[];

/** Everything that the schema cannot say, so that it comes up when the configuration is loaded and not when it is opened. */
export function validateOptions(options: FilesOptions): readonly OptionProblem[] {
  const { in: incoming = [], out = {}, images } = options;
  return [
    ...refused(["at"], () => sftpLogin(options)),
    ...incoming.flatMap(({ topic, folder = "", done, error, groupBy, map, where }, index) => {
      const path: Path = ["in", index];
      return [
        ...folderProblems(path, { folder, done, error }),
        ...(groupBy !== undefined && map === undefined
          ? [{ path: [...path, "groupBy"], text: "only a `map` can say what becomes of the rows of a group" }]
          : []),
        ...(typeof where === "string" ? refused([...path, "where"], () => recordFilter(where)) : []),
        ...mappingProblems(map, { target: pushRow(topic).element, path: [...path, "map"] }),
      ];
    }),
    ...Object.entries(out).flatMap(([event, { folder = "", name, map }]) => {
      const path: Path = ["out", event];
      return [
        ...refused([...path, "folder"], () => folderPath(folder)),
        ...(name === undefined ? [] : refused([...path, "name"], () => eventName(name))),
        ...mappingProblems(map, { source: eventSourceShape(event), path: [...path, "map"] }),
      ];
    }),
    ...proxyProblems(images?.proxy, ["images", "proxy"]),
    ...refused(["images", "folder"], () => folderPath(images?.folder ?? "")),
    ...(images?.url === undefined || /^https?:\/\//i.test(images.url)
      ? []
      : [{ path: ["images", "url"], text: "an address begins with http:// or https://" }]),
  ];
}

function folderProblems(
  path: Path,
  { folder, done = "", error = "" }: { folder: string; done?: string | undefined; error?: string | undefined },
) {
  const own = refused([...path, "folder"], () => folderPath(folder));
  // Below a folder that lies outside, everything does.
  if (own.length > 0) return own;
  return [
    ...refused([...path, "done"], () => folderPath(folder, done)),
    ...refused([...path, "error"], () => folderPath(folder, error)),
  ];
}

function refused(path: Path, read: () => unknown): OptionProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ path, text: error.message }];
  }
}
