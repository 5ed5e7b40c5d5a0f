import { resolve } from "node:path";
import { CommandFailure, defineCommand } from "../../command.ts";
import { startFailure } from "../../start-failure.ts";

const mebibyte = 2 ** 20;

export const recordCommand = defineCommand({
  name: "record",
  summary: "record the traffic between platform and adapter, without names and numbers",
  details:
    "A proxy: give the platform its address instead of the adapter's. Every byte is passed on unchanged. Calls of the contract and " +
    "pushes are written as JSON lines: numbers, names, e-mail addresses and texts are replaced by consistent pseudonyms; credentials " +
    "are never written. Runs until SIGTERM or Ctrl+C. With CROSSDOCK_RECORD_SECRET several recordings use the same pseudonyms.",
  arguments: [],
  options: {
    to: { value: "URL", description: "address of the adapter, with its base path" },
    out: { value: "FILE", description: "file to write; an existing one is renamed to FILE.1" },
    listen: { value: "PORT", description: "port to listen on, 0 for a free one (else 8081)" },
    host: { value: "ADDRESS", description: "address to listen on (else 127.0.0.1)" },
    maxMb: { value: "NUMBER", description: "size at which a new file is begun (else 100)" },
    keep: { value: "NUMBER", description: "maximum number of files; the oldest is deleted (else 5)" },
    maxBodyMb: { value: "NUMBER", description: "larger bodies are passed on but not recorded (else 4)" },
  },
  examples: [
    {
      command: "crossdock record --to http://127.0.0.1:8080 --out shift.jsonl",
      does: "records; give the platform http://127.0.0.1:8081",
    },
    {
      command: "crossdock simulate --from shift.jsonl http://127.0.0.1:8080",
      does: "replays it and compares the answers",
    },
  ],
  run: async ({ options, terminal }) => {
    const target = targetFrom(options.to);
    if (options.out === undefined) {
      throw new CommandFailure("no output file is given", { next: "name one: --out shift.jsonl" });
    }
    const { record } = await import("../../../tools/simulator/record/record.ts");
    const host = options.host ?? "127.0.0.1";
    const port = wholeFrom("--listen", options.listen, { usual: 8081, least: 0, most: 65_535 });
    const stopped = terminal.untilStopped();
    const recording = await record({
      ...{ target, host, port, file: resolve(terminal.cwd, options.out), now: () => performance.now() },
      secret: terminal.env["CROSSDOCK_RECORD_SECRET"] || undefined,
      mostFileBytes: mebibyte * wholeFrom("--max-mb", options.maxMb, { usual: 100, least: 1, most: 100_000 }),
      keepFiles: wholeFrom("--keep", options.keep, { usual: 5, least: 1, most: 1000 }),
      mostBodyBytes: mebibyte * wholeFrom("--max-body-mb", options.maxBodyMb, { usual: 4, least: 1, most: 256 }),
    }).catch((error: unknown) => {
      throw startFailure(error, { host, port });
    });
    terminal.print(`Recording  ${recording.url} → ${target}\nFile       ${options.out}\nStop with  Ctrl+C`);
    await stopped;
    const { written, others, dropped } = await recording.close();
    terminal.print(`Recorded   ${written} calls; ${others} to other addresses were passed on without recording`);
    if (dropped === 0) return "ok";
    throw new CommandFailure(`${dropped} calls could not be written`, {
      next: "check the free disk space, or allow larger files with --max-mb",
    });
  },
});

function targetFrom(text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (text !== undefined && isWeb && url.search === "" && url.username === "") return text;
  throw new CommandFailure(text === undefined ? "no adapter is given" : "that is not an address of an adapter", {
    next: "write it like --to http://127.0.0.1:8080",
  });
}

function wholeFrom(
  name: string,
  text: string | undefined,
  { usual, least, most }: { readonly usual: number; readonly least: number; readonly most: number },
): number {
  const number = Number(text ?? usual);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new CommandFailure(`${name} ${text} is out of range`, { next: `give a whole number from ${least} to ${most}` });
}
