/** An ERP that drops files into a folder and takes files from one. */
export const filesStarter = (folder: string) => `connectors:
  exchange:
    type: files
    at: ${JSON.stringify(folder)}
${isServer(folder) ? login : hint}
    in:                              # taken in, checked, and moved to done or error
      - topic: workOrders
        folder: orders
        pattern: "*.csv"
      - topic: items
        folder: items
        pattern: "*.csv"
    out:                             # one file per event
      all:
        folder: events
        format: json

events:
  to: exchange
`;

/** Folders below it that have to be there. */
export const filesFolders = ["orders", "items", "events"];

const isServer = (folder: string) => /^sftp:/i.test(folder);

/** Variables that have to be set before the start. */
export const filesVariables = (folder: string) => (isServer(folder) ? ["SFTP_PASSWORD", "SFTP_HOST_KEY"] : []);

const login = `    sftp:
      user: crossdock
      password: \${SFTP_PASSWORD}       # or privateKey: file:/etc/crossdock/sftp-key
      hostKey: \${SFTP_HOST_KEY}        # SHA256:…, as ssh-keygen -lf prints it on the server`;

const hint = `    # at: sftp://erp.example.com/exchange
    # sftp: { user: crossdock, privateKey: "file:/etc/crossdock/sftp-key", hostKey: "SHA256:…" }`;
