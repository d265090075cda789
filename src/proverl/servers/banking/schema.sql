-- One customer's bank. Money is in cents of a US dollar. Times are ISO 8601 with the world's one offset and days are
-- YYYY-MM-DD, so both sort as text. "Hidden" columns are shown by no tool; rules need them.

CREATE TABLE customer (
  customer_id INTEGER NOT NULL PRIMARY KEY,       -- @id
  name TEXT NOT NULL,
  code_key TEXT NOT NULL                          -- hidden: the key of the one-time codes, in hex
);

CREATE TABLE account (
  account_id TEXT NOT NULL PRIMARY KEY,           -- @id
  nickname TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('checking', 'savings', 'credit')),
  masked_number TEXT NOT NULL,
  balance INTEGER NOT NULL,                       -- what a credit account owes is negative
  opening_balance INTEGER NOT NULL,               -- hidden: before the first transaction
  overdraft_limit INTEGER NOT NULL,               -- of a credit account: its credit line
  daily_limit INTEGER NOT NULL,
  opened_on TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'frozen', 'closed')),
  CHECK (balance >= -overdraft_limit),
  CHECK (kind <> 'savings' OR overdraft_limit = 0),
  CHECK (kind <> 'credit' OR daily_limit = 0)     -- it sends nothing
);

CREATE TABLE card (
  card_id TEXT NOT NULL PRIMARY KEY,              -- @id
  label TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  kind TEXT NOT NULL CHECK (kind IN ('debit', 'credit')),
  last4 TEXT NOT NULL,
  daily_spend_limit INTEGER NOT NULL,
  expires_on TEXT NOT NULL,                       -- the status "expired" follows from it
  locked INTEGER NOT NULL CHECK (locked IN (0, 1))
);
CREATE INDEX card_by_account ON card (account_id);

CREATE TABLE payee (
  payee_id TEXT NOT NULL PRIMARY KEY,             -- @id
  name TEXT NOT NULL,
  bank_name TEXT NOT NULL,
  routing_number TEXT NOT NULL,                   -- hidden
  account_number TEXT NOT NULL,                   -- hidden: tools show its last four digits
  added_at TEXT NOT NULL,                         -- @clock
  status TEXT NOT NULL CHECK (status IN ('active', 'blocked')),
  removed INTEGER NOT NULL CHECK (removed IN (0, 1)),  -- hidden: the row of a removed payee stays, for its payments do
  searched TEXT NOT NULL                          -- @free hidden: name and bank, case folded
);
CREATE UNIQUE INDEX payee_by_number ON payee (routing_number, account_number) WHERE NOT removed;

CREATE TABLE bank_transaction (
  transaction_id TEXT NOT NULL PRIMARY KEY,       -- @id
  account_id TEXT NOT NULL REFERENCES account (account_id),
  card_id TEXT REFERENCES card (card_id),
  payee_id TEXT REFERENCES payee (payee_id),      -- hidden: of a payment to a payee
  other_account_id TEXT REFERENCES account (account_id),  -- hidden: the other leg of a transfer between own accounts
  posted_at TEXT NOT NULL,                        -- @clock
  merchant TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  direction TEXT NOT NULL CHECK (direction IN ('incoming', 'outgoing')),
  category TEXT NOT NULL,
  memo TEXT,                                      -- @free
  status TEXT NOT NULL CHECK (status IN ('pending', 'posted', 'disputed', 'reversed')),
  searched TEXT NOT NULL                          -- @free hidden: merchant and memo, case folded
);
CREATE INDEX transaction_by_time ON bank_transaction (posted_at, transaction_id);
CREATE INDEX transaction_by_account ON bank_transaction (account_id, posted_at, transaction_id);
CREATE INDEX transaction_by_card ON bank_transaction (card_id, posted_at, transaction_id) WHERE card_id IS NOT NULL;
CREATE INDEX transaction_by_payee ON bank_transaction (payee_id, posted_at) WHERE payee_id IS NOT NULL;
CREATE INDEX transaction_by_other ON bank_transaction (other_account_id) WHERE other_account_id IS NOT NULL;
CREATE INDEX unsettled_transaction ON bank_transaction (status, posted_at) WHERE status <> 'posted';
CREATE INDEX pending_outgoing ON bank_transaction (account_id, amount)
  WHERE status = 'pending' AND direction = 'outgoing';

CREATE TABLE scheduled_payment (
  scheduled_payment_id TEXT NOT NULL PRIMARY KEY, -- @id
  from_account_id TEXT NOT NULL REFERENCES account (account_id),
  payee_id TEXT NOT NULL REFERENCES payee (payee_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  frequency TEXT NOT NULL CHECK (frequency IN ('single', 'weekly', 'monthly')),
  next_date TEXT,                                 -- none once ended
  end_date TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'ended'))
);
CREATE INDEX scheduled_by_account ON scheduled_payment (from_account_id);
CREATE INDEX scheduled_by_payee ON scheduled_payment (payee_id);

CREATE TABLE dispute (
  dispute_id TEXT NOT NULL PRIMARY KEY,           -- @id
  transaction_id TEXT NOT NULL UNIQUE REFERENCES bank_transaction (transaction_id),
  reason TEXT NOT NULL CHECK (reason IN ('unrecognized', 'duplicate', 'overcharged', 'undelivered')),
  details TEXT,                                   -- @free
  status TEXT NOT NULL CHECK (status IN ('open', 'won')),
  provisional_credit INTEGER NOT NULL,
  locked_card_id TEXT REFERENCES card (card_id),  -- hidden: the card that stays locked because of this dispute
  opened_at TEXT NOT NULL,                        -- @clock
  decision_by TEXT NOT NULL                       -- @clock
);
CREATE INDEX dispute_by_card ON dispute (locked_card_id) WHERE locked_card_id IS NOT NULL;

CREATE TABLE bank_message (
  message_id TEXT NOT NULL PRIMARY KEY,           -- @id
  kind TEXT NOT NULL CHECK (kind IN ('security', 'alert', 'statement', 'notice')),
  subject TEXT NOT NULL,                          -- @free
  body TEXT NOT NULL,                             -- @free
  sent_at TEXT NOT NULL,                          -- @clock
  unread INTEGER NOT NULL CHECK (unread IN (0, 1))
);
CREATE INDEX message_by_time ON bank_message (sent_at, message_id);

-- Hidden as a whole: what the bank knows of the codes that it wrote into security messages.
CREATE TABLE one_time_code (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES bank_message (message_id),  -- @id
  purpose TEXT NOT NULL CHECK (purpose IN ('payee', 'payment', 'limit')),
  code TEXT NOT NULL,                             -- @counter the codes differ with the order of the requests
  sent_at TEXT NOT NULL,                          -- @clock
  expires_at TEXT NOT NULL,                       -- @clock
  used INTEGER NOT NULL CHECK (used IN (0, 1))
);
CREATE INDEX code_by_purpose ON one_time_code (purpose, sent_at);
CREATE INDEX code_by_time ON one_time_code (sent_at);

-- What tools read.

CREATE VIEW account_now AS
SELECT *, balance + overdraft_limit - pending_total AS available
FROM (
  SELECT a.*, 'USD' AS currency, coalesce(
    (SELECT sum(t.amount) FROM bank_transaction t
     WHERE t.account_id = a.account_id AND t.status = 'pending' AND t.direction = 'outgoing'), 0) AS pending_total
  FROM account a
);

CREATE VIEW card_now AS
SELECT c.*, CASE
  WHEN c.expires_on < (SELECT today FROM world_now) THEN 'expired' WHEN c.locked THEN 'locked' ELSE 'active'
END AS status
FROM card c;

CREATE VIEW payee_now AS
SELECT p.*, '****' || substr(p.account_number, -4) AS masked_account,
  substr((SELECT max(t.posted_at) FROM bank_transaction t WHERE t.payee_id = p.payee_id), 1, 10) AS last_paid_on
FROM payee p
WHERE NOT p.removed;

CREATE VIEW transaction_now AS
SELECT *, substr(posted_at, 1, 10) AS posted_on FROM bank_transaction;

CREATE VIEW scheduled_payment_now AS
SELECT s.*, p.name AS payee_name FROM scheduled_payment s JOIN payee p USING (payee_id);
