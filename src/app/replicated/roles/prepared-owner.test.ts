import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import type { FromLink, ToLink } from "../../../replication/link/link-messages.ts";
import type { LinkThread } from "../../../replication/link/link-thread.ts";
import { preparedOwner } from "./prepared-owner.ts";

test("if the writer cannot be loaded, the link that was prepared beside it is ended", async () => {
  const said: ToLink[] = [];
  const thread: LinkThread = {
    patienceMs: 1_000,
    direct: () => null,
    onGone: () => () => {},
    add: () => {
      const { port1, port2 } = new MessageChannel();
      port2.on("message", (message: ToLink) => {
        said.push(message);
        port2.postMessage("ended" satisfies FromLink);
      });
      port2.postMessage("prepared" satisfies FromLink);
      return port1;
    },
    close: async () => {},
  };
  let discarded = 0;
  const owner = preparedOwner({
    deployment: "north",
    projectionModule: undefined,
    threads: {
      links: { thread: () => thread, close: async () => {} },
      writers: {
        prepare: () => ({
          loaded: Promise.reject(new Error("cannot be loaded")),
          begin: () => {
            throw new Error("it is not loaded");
          },
          discard: async () => void discarded++,
        }),
        close: async () => {},
      },
    },
  });
  await expect(owner.prepare()).rejects.toThrow("cannot be loaded");
  expect([said, discarded, owner.isPrepared()]).toEqual([["end"], 1, false]);
});
