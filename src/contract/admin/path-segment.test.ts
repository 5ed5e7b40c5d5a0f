import { expect, test } from "vitest";
import { nameInSegment, pathSegment } from "./path-segment.ts";

test.each([".", "..", "~.", "~..", "~~..", "...", "~", "~a", "", "a/b", "4711 %"])(
  "the name %j survives the way through an address",
  (name) => {
    const { pathname } = new URL(`admin/orders/${pathSegment(name)}/timeline`, "http://adapter.example/");
    const [, , , segment = ""] = pathname.split("/");
    expect(pathname.split("/")).toHaveLength(5);
    expect(nameInSegment(decodeURIComponent(segment))).toBe(name);
  },
);
