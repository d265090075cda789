-- A library and one of its members. Money is in cents of a US dollar, days are YYYY-MM-DD and sort as text. `mine` is 1
-- for the member and 0 for anybody else.

CREATE TABLE book (
  book_id TEXT NOT NULL PRIMARY KEY,              -- @id
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  year INTEGER NOT NULL,
  genre TEXT NOT NULL CHECK (genre IN ('novel', 'crime', 'history', 'science', 'travel')),
  searched TEXT NOT NULL                          -- @free hidden: title and author, case folded
);

CREATE TABLE copy (
  copy_id TEXT NOT NULL PRIMARY KEY,              -- @id
  book_id TEXT NOT NULL REFERENCES book (book_id),
  branch TEXT NOT NULL,
  reading_room INTEGER NOT NULL CHECK (reading_room IN (0, 1))
);
CREATE INDEX copy_by_book ON copy (book_id);

CREATE TABLE loan (
  loan_id TEXT NOT NULL PRIMARY KEY,              -- @id
  copy_id TEXT NOT NULL REFERENCES copy (copy_id),
  mine INTEGER NOT NULL CHECK (mine IN (0, 1)),
  borrowed_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  renewals INTEGER NOT NULL,
  returned_on TEXT
);
CREATE INDEX loan_by_copy ON loan (copy_id);
CREATE UNIQUE INDEX copy_out ON loan (copy_id) WHERE returned_on IS NULL;

CREATE TABLE reservation (
  reservation_id TEXT NOT NULL PRIMARY KEY,       -- @id
  book_id TEXT NOT NULL REFERENCES book (book_id),
  mine INTEGER NOT NULL CHECK (mine IN (0, 1)),
  placed_at TEXT NOT NULL,                        -- @clock
  status TEXT NOT NULL CHECK (status IN ('waiting', 'ready', 'collected')),
  copy_id TEXT REFERENCES copy (copy_id),         -- the copy that is kept
  CHECK ((copy_id IS NULL) = (status = 'waiting'))
);
CREATE INDEX reservation_by_book ON reservation (book_id, placed_at, reservation_id);
CREATE INDEX reservation_by_copy ON reservation (copy_id) WHERE copy_id IS NOT NULL;
CREATE UNIQUE INDEX copy_kept ON reservation (copy_id) WHERE status = 'ready';

CREATE TABLE fine (
  fine_id TEXT NOT NULL PRIMARY KEY,              -- @id
  loan_id TEXT NOT NULL UNIQUE REFERENCES loan (loan_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  paid INTEGER NOT NULL CHECK (paid BETWEEN 0 AND amount),
  charged_on TEXT NOT NULL
);

-- What tools read.

CREATE VIEW copy_now AS
SELECT c.*, b.title, l.due_on, CASE
  WHEN c.reading_room THEN 'reading_room' WHEN l.loan_id IS NOT NULL THEN 'on_loan'
  WHEN r.mine THEN 'kept_for_you' WHEN r.reservation_id IS NOT NULL THEN 'kept_for_another' ELSE 'available'
END AS status
FROM copy c JOIN book b USING (book_id)
LEFT JOIN loan l ON l.copy_id = c.copy_id AND l.returned_on IS NULL
LEFT JOIN reservation r ON r.copy_id = c.copy_id AND r.status = 'ready';

CREATE VIEW waiting AS
SELECT *, row_number() OVER (PARTITION BY book_id ORDER BY placed_at, reservation_id) AS place
FROM reservation WHERE status = 'waiting';

CREATE VIEW book_now AS
SELECT b.*,
  (SELECT count(*) FROM copy_now c WHERE c.book_id = b.book_id AND c.status = 'available') AS available,
  (SELECT count(*) FROM waiting w WHERE w.book_id = b.book_id) AS waiting,
  (SELECT place FROM waiting w WHERE w.book_id = b.book_id AND w.mine) AS your_place
FROM book b;

CREATE VIEW loan_now AS
SELECT l.*, c.book_id, b.title, CASE
  WHEN l.returned_on IS NOT NULL THEN 'returned'
  WHEN l.due_on < (SELECT today FROM world_now) THEN 'overdue' ELSE 'on_loan'
END AS status
FROM loan l JOIN copy c USING (copy_id) JOIN book b USING (book_id)
WHERE l.mine;

CREATE VIEW fine_now AS
SELECT f.*, f.amount - f.paid AS owed, l.title FROM fine f JOIN loan_now l USING (loan_id);
