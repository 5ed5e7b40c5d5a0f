-- Two logins for the adapter: one that reads, one that books.
CREATE ROLE crossdock_read LOGIN PASSWORD 'read-password';
GRANT SELECT ON orders, order_lines, items, cancellations TO crossdock_read;

CREATE ROLE crossdock LOGIN PASSWORD 'book-password';
GRANT SELECT ON orders TO crossdock;
GRANT SELECT, INSERT, DELETE ON totes TO crossdock;
GRANT INSERT ON events TO crossdock;
-- By this table a repeated event is known: it is written in the same transaction as the rows of the event.
GRANT SELECT, INSERT ON crossdock_delivered TO crossdock;
