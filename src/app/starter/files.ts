/** An ERP that drops files into a folder and takes files from one. */
export const filesStarter = (folder: string) => `connectors:
  exchange:
    type: files
    at: ${JSON.stringify(folder)}
    # at: sftp://erp.example.com/exchange
    # sftp: { user: crossdock, privateKey: "file:/etc/crossdock/sftp-key", hostKey: "SHA256:…" }
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
