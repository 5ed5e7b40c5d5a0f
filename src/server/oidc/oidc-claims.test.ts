import { expect, test } from "vitest";
import { nameOf, roleOf } from "./oidc-routes.ts";

const roles = { claim: "groups", viewer: ["staff"], operator: ["leads"], admin: ["it"] };

test("the highest role that a group gives counts, and nobody without such a group has one", () => {
  expect(roleOf({ groups: ["staff", "it", "other"] }, roles)).toBe("admin");
  expect(roleOf({ groups: "leads" }, roles)).toBe("operator");
  expect(roleOf({ groups: ["staff"] }, roles)).toBe("viewer");
  for (const groups of [[], ["other"], null, { it: true }, [["it"]], 1, undefined])
    expect(roleOf({ groups }, roles)).toBeNull();
  expect(roleOf({}, { claim: "__proto__", admin: ["x"] })).toBeNull();
});

test("a claim may lie deeper, and may have a dot in its name", () => {
  const deep = { claim: "realm_access.roles", admin: ["it"] };
  expect(roleOf({ realm_access: { roles: ["it"] } }, deep)).toBe("admin");
  expect(roleOf({ "realm_access.roles": ["it"] }, deep)).toBe("admin");
});

test("the name for the audit is the chosen claim, else the user name, the address or the id", () => {
  const claims = { sub: "17", email: "kim@example.com", preferred_username: "kim", name: " Kim Lee " };
  expect(nameOf(claims, undefined)).toBe("kim");
  expect(nameOf(claims, "name")).toBe("Kim Lee");
  expect(nameOf({ sub: "17" }, undefined)).toBe("17");
  expect(nameOf({ sub: "17" }, "name")).toBeNull();
});
