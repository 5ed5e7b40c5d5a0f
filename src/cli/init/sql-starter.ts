export const sqlDrivers = ["postgres", "mysql", "sqlserver", "sqlite"] as const;
export type SqlDriver = (typeof sqlDrivers)[number];

const connection = (driver: SqlDriver, address: string) =>
  driver === "sqlite"
    ? `    file: ${JSON.stringify(address)}`
    : `    host: ${JSON.stringify(address)}
    database: erp
    user: crossdock
    # password: \${ERP_PASSWORD}      # from the environment; or file:/path/to/secret
    # readUser: crossdock_read       # questions by a user that may only SELECT`;

/** An ERP whose tables are read and written. */
export const sqlStarter = (driver: SqlDriver, address: string) => `connectors:
  erp:
    type: sql
    driver: ${driver}
${connection(driver, address)}
    operations:
      listWorkOrders:
        sql: >-
          SELECT o.order_no, o.due_date, l.line_no, l.item_no, l.quantity
          FROM orders o JOIN order_lines l ON l.order_no = o.order_no
          WHERE o.status = 'open' ORDER BY o.order_no, l.line_no
        fold: { by: order_no, lines: lines }   # the rows of one order become one order
        map: &order                  # member of the contract: column
          number: order_no
          dueDate: due_date
          requests:
            each: lines
            map:
              itemNumber: item_no
              requestedAmount: quantity        # add round: or unit: where it may be a fraction
              requestExternalIdentifier: line_no
      findWorkOrderByCode:
        sql: >-
          SELECT o.order_no, o.due_date, l.line_no, l.item_no, l.quantity
          FROM orders o JOIN order_lines l ON l.order_no = o.order_no
          WHERE o.order_no = :code ORDER BY l.line_no
        fold: { by: order_no, lines: lines }
        map: *order
      getItem:
        sql: SELECT item_no, name FROM items WHERE item_no = :number
        map: { number: item_no, name: name }
      confirmStep:                   # all statements of an event are one transaction, done once
        statements:
          - sql: INSERT INTO picks (order_no, picked_by) VALUES (:body.workOrderNumber, :body.userEmail)

serve:                               # who answers; what is not named here the embedded store does
  workOrders: erp
  codeLookup: erp
  items: erp

events:
  to: erp
`;
