import { expect, test } from "vitest";
import { histogramPlot, linePlot } from "./shift-html-report.ts";

/** Wider than a digit in the report's font. */
const pixelsPerLetter = 7.5;
const pictureWidth = 720;

/** The horizontal extent of each text in a picture. */
function extents(svg: string) {
  return [...svg.matchAll(/<text x="([\d.-]+)"([^>]*)>([^<]*)<\/text>/g)].map(([, at, rest = "", text = ""]) => {
    const length = text.length * pixelsPerLetter;
    const anchor = /text-anchor="(\w+)"/.exec(rest)?.[1] ?? "start";
    const from = Number(at) - (anchor === "end" ? length : anchor === "middle" ? length / 2 : 0);
    return { text, from, to: from + length };
  });
}

test("no label of a picture is cut off at its edges, however long the calls took", () => {
  for (const upToMs of [5, 80, 900, 12_000, 150_000]) {
    const pictures = [
      histogramPlot("calls", [{ upToMs, count: 3 }]),
      linePlot("time", "ms", [
        {
          name: "p99",
          colour: "red",
          points: [
            [0, 1],
            [upToMs, upToMs],
          ],
        },
      ]),
    ];
    for (const { text, from, to } of pictures.flatMap(extents)) {
      expect(from, text).toBeGreaterThanOrEqual(0);
      expect(to, text).toBeLessThanOrEqual(pictureWidth);
    }
  }
});
