import type { Client, Connection, Submittable } from "pg";
import type { Change } from "../change.ts";
import type { Owner } from "./change-log.ts";
import { schema } from "./open-client.ts";

/**
 * Adds a change if the owner's epoch is current and the number follows the last one; otherwise nothing is stored. It is
 * one statement, so that PostgreSQL decides, whatever the owner believes. It also renews the lease. Without a type, a
 * number from which 1 is subtracted would be one of 32 bits.
 */
const text = `WITH owned AS (
    UPDATE ${schema}.deployment SET last_number = $3, last_hash = $4, log_bytes = log_bytes + length($7::bytea),
      lease_until = now() + $5 * interval '1 ms'
    WHERE name = $1 AND epoch = $2 AND last_number = $3::bigint - 1 RETURNING name)
  INSERT INTO ${schema}.change (deployment, number, epoch, hash, body, layout)
    SELECT name, $3, $2, $4, $7, $6 FROM owned`;

/** Returns whether the change was stored. Its body must not be changed or handed over, as long as the client is open. */
export function appendChange(client: Client, owner: Owner, change: Change): Promise<boolean> {
  return new Promise((resolve, reject) => {
    client.query(
      new AppendStatement(owner, change, (error, isStored) => {
        if (error === null) resolve(isStored);
        else reject(error);
      }),
    );
  });
}

const name = "append-change";
/** Nothing is returned; then the statement is executed, and the driver's turn ends. */
const afterBody = Buffer.from([0, 0, ...[0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0], ...[0x53, 0, 0, 0, 4]]);
/** How PostgreSQL reports one inserted row. */
const oneRow = "INSERT 0 1";

/**
 * Writes the body of a change to the connection as it is. The driver's own statements copy it into a buffer that grows
 * step by step, and ask for the columns of a result that has none.
 */
class AppendStatement implements Submittable {
  /** The driver reads both, and prepares a statement once per connection. */
  readonly name = name;
  readonly text = text;
  /** The driver puts its time limit around it. */
  callback: (error: Error | null) => void;
  readonly #owner: Owner;
  readonly #change: Change;
  #isStored = false;

  constructor(owner: Owner, change: Change, settle: (error: Error | null, isStored: boolean) => void) {
    this.#owner = owner;
    this.#change = change;
    this.callback = (error) => settle(error, this.#isStored);
  }

  submit(connection: Connection): void {
    // The driver's own statements use these members, too.
    const { stream, parsedStatements, submittedNamedStatements } = connection as PreparingConnection;
    stream.cork();
    try {
      if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text, types: [] }, true);
        submittedNamedStatements[name] = text;
      }
      const { deployment, epoch, leaseMs } = this.#owner;
      const { number, hash, body, layout } = this.#change;
      stream.write(bindHead([deployment, String(epoch), String(number), hash, String(leaseMs), layout ?? null], body));
      stream.write(body);
      stream.write(afterBody);
    } finally {
      stream.uncork();
    }
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#isStored = message.text === oneRow;
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

/** What the driver keeps of a connection, beside what its types name. */
interface PreparingConnection extends Connection {
  /** The texts of prepared statements, by name. */
  readonly parsedStatements: Record<string, string>;
  /** Statements whose preparation PostgreSQL has not confirmed yet. */
  readonly submittedNamedStatements: Record<string, string>;
}

/** The beginning of PostgreSQL's message `Bind` up to the bytes of the last value. Texts are sent as texts. */
function bindHead(values: readonly (string | Uint8Array | null)[], last: Uint8Array): Buffer {
  const count = values.length + 1;
  const lengths = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : (value?.length ?? 0)));
  const portalAndName = 1 + Buffer.byteLength(name) + 1;
  const ofValues = lengths.reduce((sum, length) => sum + 4 + length, 0);
  const head = Buffer.allocUnsafe(1 + 4 + portalAndName + 2 + 2 * count + 2 + ofValues + 4);
  let end = head.writeUInt8(0x42);
  // Without the letter; with the last value, and the number of result formats.
  end = head.writeInt32BE(head.length - 1 + last.length + 2, end);
  end = head.writeUInt8(0, end);
  end += head.write(`${name}\0`, end);
  end = head.writeInt16BE(count, end);
  for (const value of [...values, last]) end = head.writeInt16BE(value instanceof Uint8Array ? 1 : 0, end);
  end = head.writeInt16BE(count, end);
  values.forEach((value, index) => {
    end = head.writeInt32BE(value === null ? -1 : (lengths[index] ?? 0), end);
    if (typeof value === "string") end += head.write(value, end);
    else if (value !== null) {
      head.set(value, end);
      end += value.length;
    }
  });
  head.writeInt32BE(last.length, end);
  return head;
}
