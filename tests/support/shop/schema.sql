CREATE TABLE customer (
  customer_id TEXT NOT NULL PRIMARY KEY,  -- @id
  name TEXT NOT NULL UNIQUE,
  balance INTEGER NOT NULL CHECK (balance >= 0)
);
CREATE TABLE item (
  item_id TEXT NOT NULL PRIMARY KEY,      -- @id
  name TEXT NOT NULL,
  price INTEGER NOT NULL,
  stock INTEGER NOT NULL CHECK (stock >= 0)
);
CREATE TABLE purchase (
  purchase_id TEXT NOT NULL PRIMARY KEY,  -- @id
  customer_id TEXT NOT NULL REFERENCES customer (customer_id),
  placed_at TEXT NOT NULL,                -- @clock
  note TEXT                               -- @free
);
CREATE TABLE purchase_line (
  purchase_id TEXT NOT NULL REFERENCES purchase (purchase_id) ON DELETE CASCADE,
  item_id TEXT NOT NULL REFERENCES item (item_id),
  quantity INTEGER NOT NULL,
  PRIMARY KEY (purchase_id, item_id)
);
CREATE INDEX purchase_by_customer ON purchase (customer_id);
