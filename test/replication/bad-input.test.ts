import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { openClient, schema } from "../../src/replication/postgres/open-client.ts";
import { prepareTables } from "../../src/replication/postgres/prepare-tables.ts";
import { openStandby } from "../../src/replication/standby/standby.ts";
import { freePort } from "../peers/free-port.ts";
import { type PeerAddress, peerGroup } from "../peers/peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newDeployment, onPostgres, urlOf } from "./deployment.ts";

await peerGroup("postgres", "a PostgreSQL that cannot be used", (address) => {
  const url = urlOf(address);

  test.each([
    [
      "a wrong password",
      async () => urlOf({ ...address, password: "guessed" }),
      /does not let the user postgres in/,
      /password/,
    ],
    [
      "a wrong port",
      async () => urlOf({ ...address, port: await freePort() }),
      /cannot be used: .*ECONNREFUSED/,
      /check that it runs/,
    ],
    [
      "a database that is not there",
      async () => urlOf({ ...address, database: "nothing" }),
      /has no database nothing/,
      /CREATE DATABASE/,
    ],
    [
      "a user without rights",
      () => withoutRights(address),
      /may not do what Crossdock needs/,
      /CREATE SCHEMA crossdock AUTHORIZATION "visitor"/,
    ],
    [
      "tables that belong to another user",
      () => ofAnotherUser(address),
      /may not do what Crossdock needs in the database test_.*permission denied for schema crossdock/,
      /use the user that the schema crossdock belongs to/,
    ],
    [
      "tables of a newer version",
      () =>
        database(
          address,
          `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.migration (number integer PRIMARY KEY); INSERT INTO ${schema}.migration VALUES (99)`,
        ),
      /newer Crossdock \(version 99/,
      /start the newer/,
    ],
    [
      "tables of another program",
      () => database(address, `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.invoice (id integer)`),
      /belongs to another program: it has a table invoice/,
      /database of its own/,
    ],
    [
      "a table of another program that has the name of one of ours",
      () =>
        database(
          address,
          `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.invoice (id integer);
           CREATE TABLE ${schema}.migration (id text, applied timestamptz)`,
        ),
      /belongs to another program: it has a table invoice/,
      /database of its own/,
    ],
    [
      "tables that are not complete",
      () =>
        database(
          address,
          `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.migration (number integer PRIMARY KEY);
           INSERT INTO ${schema}.migration VALUES (1)`,
        ),
      /tables of the schema crossdock in the database test_.* are not complete: relation "crossdock.deployment"/,
      /restore that database from its backup/,
    ],
    [
      "an address without a host and a user",
      async () => "postgres:///crossdock",
      /names no host and no user/,
      /postgres:\/\/user:password@host\/database/,
    ],
    [
      "an address without a database",
      async () => {
        await onPostgres(url, "CREATE ROLE lonely LOGIN PASSWORD 'lonely'");
        return urlOf({ ...address, user: "lonely", password: "lonely", database: "" });
      },
      /names no database/,
      /postgres:\/\/user:password@host\/database/,
    ],
    ["a server without TLS", async () => `${url}?sslmode=verify-full`, /offers no TLS/, /ssl = on/],
  ])("%s is named, with what to do next, and nothing is touched", async (_what, prepare, text, next) => {
    const databaseFile = join(temporaryFolder(), "crossdock.db");
    const given = { deployment: newDeployment(), owner: "test", leaseMs: 1_000, pollMs: 5, timeoutMs: 10_000 };
    const opening = openStandby({
      ...given,
      url: await prepare(),
      timers: systemTimers,
      copy: { databaseFile },
      sides: { dataFolder: "", files: [] },
    });
    await expect(opening).rejects.toMatchObject({
      message: expect.stringMatching(text),
      next: expect.stringMatching(next),
    });
    await expect(opening).rejects.not.toThrow(/guessed|peer-password/);
    expect(existsSync(databaseFile)).toBe(false);
  });

  test("settings of the server with which a power cut loses data are reported", async () => {
    const said: string[] = [];
    const given = { url, deployment: newDeployment(), owner: "test", leaseMs: 1_000, pollMs: 5, timeoutMs: 10_000 };
    const copy = { databaseFile: join(temporaryFolder(), "crossdock.db") };
    const standby = await openStandby({
      ...{ ...given, timers: systemTimers, copy, sides: { dataFolder: "", files: [] } },
      notify: (text) => said.push(text),
    });
    await standby.stop();
    // The server of the tests runs without syncs.
    expect(said).toContain("PostgreSQL's fsync is off: after a power cut, acknowledged events may be lost.");
  });
});

/** A database of its own with these tables. */
async function database(address: PeerAddress, sql: string): Promise<string> {
  const name = newDeployment().replaceAll("-", "_");
  await onPostgres(urlOf(address), `CREATE DATABASE ${name}`);
  const url = urlOf({ ...address, database: name });
  await onPostgres(url, sql);
  return url;
}

const withoutRights = async (address: PeerAddress): Promise<string> =>
  as("visitor", await database(address, "CREATE ROLE visitor LOGIN PASSWORD 'visitor'"));

/** It may look into the schema that another user's Crossdock has made, and nothing more. */
async function ofAnotherUser(address: PeerAddress): Promise<string> {
  const url = await database(address, "CREATE ROLE guest LOGIN PASSWORD 'guest'");
  const client = await openClient({ url, name: "test", timeoutMs: 10_000 });
  await prepareTables(client).finally(() => client.end());
  await onPostgres(url, `GRANT USAGE ON SCHEMA ${schema} TO guest`);
  return as("guest", url);
}

function as(user: string, url: string): string {
  const there = new URL(url);
  there.username = user;
  there.password = user;
  return there.href;
}
