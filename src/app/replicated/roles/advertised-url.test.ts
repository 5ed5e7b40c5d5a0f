import { hostname } from "node:os";
import { expect, test } from "vitest";
import { advertisedUrl } from "./advertised-url.ts";

test.each([
  ["http://10.0.0.1:8080", undefined, "http://10.0.0.1:8080"],
  ["http://0.0.0.0:8080/adapter", undefined, `http://${hostname().toLowerCase()}:8080/adapter`],
  ["http://[::]:8080", undefined, `http://${hostname().toLowerCase()}:8080`],
  ["http://0.0.0.0:8080", "north-1", "http://north-1:8080"],
  ["https://0.0.0.0:8080/a", "north-1:9000", "https://north-1:9000/a"],
  ["http://0.0.0.0:8080", "[fd00::1]", "http://[fd00::1]:8080"],
  ["http://0.0.0.0:8080", "https://north-1.example.com", "https://north-1.example.com"],
])("a process at %s with the advertised address %s is reached at %s", (url, advertise, reached) => {
  expect(advertisedUrl(url, advertise)).toBe(reached);
});
