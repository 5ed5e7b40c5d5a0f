import { expect, test } from "vitest";
import { deploymentFinder } from "./find-deployment.ts";

const find = deploymentFinder([
  { name: "north", basePath: "/north" },
  { name: "north inside", basePath: "/north/inner" },
  { name: "host", basePath: "", hosts: ["a.example", "b.example"] },
  { name: "host and path", basePath: "/north", hosts: ["b.example"] },
]);

test.each([
  ["127.0.0.1:8080", "/north/WorkOrders", "north"],
  ["127.0.0.1", "/NORTH/WorkOrders?x=/a", "north"],
  ["127.0.0.1", "/north", "north"],
  ["127.0.0.1", "/north?x", "north"],
  ["127.0.0.1", "/north/inner/Items/a/b/c/d/e/f", "north inside"],
  ["127.0.0.1", "/northern/WorkOrders", undefined],
  ["127.0.0.1", "/WorkOrders", undefined],
  ["A.Example:443", "/WorkOrders", "host"],
  ["a.example", "/north/WorkOrders", "host"],
  ["b.example", "/north/WorkOrders", "host and path"],
  ["b.example", "/Items/1", "host"],
  ["c.example", "/Items/1", undefined],
  [undefined, "/north/x", "north"],
])("a request of %s for %s is for %s", (host, url, name) => {
  expect(find({ url, headers: host === undefined ? {} : { host } })?.name).toBe(name);
});
