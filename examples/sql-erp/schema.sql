-- The tables of a small ERP, and two logins for the adapter: one that reads, one that books.
CREATE TABLE orders (
  order_no  text PRIMARY KEY,
  customer  text NOT NULL,
  due       date NOT NULL,
  warehouse text NOT NULL,
  wave      text,
  state     text NOT NULL DEFAULT 'released'
);
CREATE TABLE order_lines (
  order_no  text NOT NULL REFERENCES orders,
  line_no   int NOT NULL,
  item_no   text NOT NULL,
  qty       numeric(12, 3) NOT NULL,
  PRIMARY KEY (order_no, line_no)
);
CREATE TABLE items (
  item_no   text PRIMARY KEY,
  title     text NOT NULL,
  grams     numeric(12, 3),
  picture   bytea
);
CREATE TABLE totes (
  code      text CONSTRAINT tote_in_use PRIMARY KEY,
  order_no  text NOT NULL
);
-- What happened on the floor, in the sequence it was booked.
CREATE TABLE bookings (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry_id  text NOT NULL,
  event     text NOT NULL,
  order_no  text NOT NULL,
  line_no   text,
  item_no   text,
  qty       numeric(12, 3),
  tote      text,
  place     text,
  note      text
);
CREATE TABLE cancellations (
  order_no   text NOT NULL,
  line_no    int,
  reason     text,
  changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE ROLE crossdock_read LOGIN PASSWORD 'read-password';
GRANT SELECT ON orders, order_lines, items, cancellations TO crossdock_read;

CREATE ROLE crossdock LOGIN PASSWORD 'book-password';
GRANT SELECT, UPDATE ON orders TO crossdock;
GRANT SELECT, INSERT, DELETE ON totes TO crossdock;
GRANT INSERT ON bookings TO crossdock;
-- By this table a repeated event is known: it is written in the same transaction as the booking.
CREATE TABLE crossdock_delivered (
  entry_id     varchar(64) PRIMARY KEY,
  delivered_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON crossdock_delivered TO crossdock;
