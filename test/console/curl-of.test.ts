import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "../../console/parts/curl-of.ts";

test("a request copied for a terminal means the same there, whatever its texts hold", () => {
  const texts = ["plain", "it's", "$(touch x)", "`id`", 'a "b" \\ c', "line\nbreak", "'; rm -rf /; '"];
  for (const text of texts) {
    const command = curlOf({
      ...{ to: "POST http://erp.example/x?y=1&z=2", headers: { "x-note": text }, body: { text, bytes: text.length } },
    });
    // The shell itself says which arguments the program would get.
    const printed = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\0'")], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual([
      ...["-X", "POST", "http://erp.example/x?y=1&z=2", "-H", `x-note: ${text}`, "--data-raw", text],
    ]);
  }
});
