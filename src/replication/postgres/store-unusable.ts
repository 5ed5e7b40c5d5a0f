import { schema } from "./open-client.ts";
import { NewerTables, OtherTables } from "./prepare-tables.ts";

/**
 * Says why PostgreSQL cannot be used as the store, for the person who starts the adapter. It never contains the
 * password.
 */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
  readonly next: string;
  constructor(text: string, next: string, cause: unknown) {
    super(text, { cause });
    this.next = next;
  }
}

/** The error for a deployment that was moved elsewhere. */
export const movedAway = (deployment: string, to: string): StoreUnusable =>
  new StoreUnusable(
    `the deployment ${deployment} was moved to ${to}`,
    "start it there without a store, or move it back: crossdock move --to postgres://…",
    null,
  );

/** The form of the codes by which PostgreSQL itself names its errors. */
const serverError = /^[0-9A-Z]{5}$/;

export function storeUnusable(error: unknown, url: string): StoreUnusable {
  if (error instanceof StoreUnusable) return error;
  if (!URL.canParse(url)) {
    return new StoreUnusable(
      "the address of the PostgreSQL cannot be read",
      "write postgres://user:password@host/database, with %40 for an @ in the password, %2F for a /",
      error,
    );
  }
  const { host, pathname, username, searchParams: more } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username);
  const give = (text: string, next: string) => new StoreUnusable(text, next, error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof NewerTables)
    return give(error.message, "start the newer Crossdock, or give this one another database");
  if (error instanceof OtherTables) return give(error.message, "give Crossdock a database of its own");
  // Without a database in the address, PostgreSQL takes the one that is named like the user.
  const isNowhere = database === "" && code === "3D000";
  const isHostless = host === "" && !more.has("host");
  const isUserless = user === "" && !more.has("user");
  const missing = [isHostless && "host", isUserless && "user", isNowhere && "database"].filter(Boolean);
  // A refusal for another reason than the login shows that the environment has named what is missing in the address.
  if (missing.length > 0 && (!serverError.test(code) || /^(28|3D)/.test(code))) {
    return give(
      `the address of the PostgreSQL names no ${missing.join(" and no ")}`,
      "write postgres://user:password@host/database",
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  switch (code) {
    case "28P01":
    case "28000":
      return give(
        `PostgreSQL at ${host} does not let the user ${user} in: ${reason}`,
        "check user and password in CROSSDOCK_STORE or `store`, and pg_hba.conf",
      );
    case "3D000":
      return give(`PostgreSQL at ${host} has no database ${database}`, `create it: CREATE DATABASE ${database}`);
    case "42501":
      return give(
        `the user ${user} may not do what Crossdock needs in the database ${database}: ${reason}`,
        // Only a database without our schema refuses to make one.
        reason.includes("for database")
          ? `as its administrator: CREATE SCHEMA ${schema} AUTHORIZATION "${user}"`
          : `use the user that the schema ${schema} belongs to, or as its administrator give ${user} the schema and its tables: ALTER SCHEMA ${schema} OWNER TO "${user}"`,
      );
    case "42P01":
    case "42703":
      return give(
        `the tables of the schema ${schema} in the database ${database} are not complete: ${reason}`,
        "restore that database from its backup, or give Crossdock a database of its own",
      );
    case "25006":
      return give(
        `PostgreSQL at ${host} is read-only; it is probably a standby`,
        "name the primary, or several hosts behind one address that leads to it",
      );
    default:
      if (reason === "The server does not support SSL connections") {
        return give(
          `PostgreSQL at ${host} offers no TLS, which sslmode in its address asks for`,
          "switch it on in postgresql.conf (ssl = on); in a network that only you use, sslmode=disable does without",
        );
      }
      if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)) {
        return give(
          `the certificate of PostgreSQL at ${host} is not trusted: ${reason}`,
          "name its issuer's certificate with &sslrootcert=/path/ca.pem, and use the host name in the certificate",
        );
      }
      return give(`PostgreSQL at ${host} cannot be used: ${reason}`, "check that it runs and can be reached from here");
  }
}
