-- A tree of folders, files and links. A node is an inode; an entry is a name in a folder that leads to a node.
-- An entry without a parent lies in the trash. Nothing but rmdir deletes rows: what the trash has dropped is
-- unreachable, and its rows stay.

CREATE TABLE login (
  login TEXT NOT NULL PRIMARY KEY,
  full_name TEXT NOT NULL
);

CREATE TABLE membership (
  login TEXT NOT NULL REFERENCES login (login),
  group_name TEXT NOT NULL,
  PRIMARY KEY (login, group_name)
);

-- One row: the user of this session. groups repeats the user's memberships, with a blank before and behind each, the
-- group of new entries is primary_group. The counters say how much of the quota the tree takes (content that has two names
-- counts once), and which number was the last to be given to a node or an entry.
CREATE TABLE setting (
  setting_id INTEGER NOT NULL PRIMARY KEY CHECK (setting_id = 1),
  login TEXT NOT NULL REFERENCES login (login),
  primary_group TEXT NOT NULL,
  groups TEXT NOT NULL,
  home TEXT NOT NULL,
  cwd TEXT NOT NULL,
  umask INTEGER NOT NULL CHECK (umask BETWEEN 0 AND 511),
  quota_bytes INTEGER NOT NULL,
  quota_entries INTEGER NOT NULL,
  used_bytes INTEGER NOT NULL CHECK (used_bytes BETWEEN 0 AND quota_bytes),        -- @counter
  used_entries INTEGER NOT NULL CHECK (used_entries BETWEEN 0 AND quota_entries),  -- @counter
  last_number INTEGER NOT NULL                                                     -- @counter
);

-- size is in bytes: of the content, or of the target of a link; 0 for a folder. form says what the content is:
-- text, base64 (a binary file) or archive (the container of archive.py; also binary to the text tools).
CREATE TABLE node (
  node_id INTEGER NOT NULL PRIMARY KEY,  -- @id
  kind TEXT NOT NULL CHECK (kind IN ('file', 'folder', 'link')),
  owner TEXT NOT NULL REFERENCES login (login),
  group_name TEXT NOT NULL,
  mode INTEGER NOT NULL CHECK (mode BETWEEN 0 AND 1023),
  modified TEXT NOT NULL,                -- @clock
  size INTEGER NOT NULL CHECK (size >= 0),
  form TEXT NOT NULL CHECK (form IN ('', 'text', 'base64', 'archive')),
  target TEXT,
  content TEXT
);

CREATE TABLE entry (
  entry_id INTEGER NOT NULL PRIMARY KEY,  -- @id
  parent INTEGER REFERENCES node (node_id),
  name TEXT NOT NULL,
  node_id INTEGER NOT NULL REFERENCES node (node_id),
  kind TEXT NOT NULL                      -- as in the node; it never changes, and walks need not look there
);
CREATE UNIQUE INDEX entry_by_name ON entry (parent, name);
CREATE INDEX entry_by_node ON entry (node_id, parent);

CREATE TABLE trash_item (
  trash_item_id TEXT NOT NULL PRIMARY KEY,  -- @id
  entry_id INTEGER NOT NULL REFERENCES entry (entry_id),
  original_path TEXT NOT NULL,
  searched TEXT NOT NULL,                   -- @free hidden: the name, case folded
  deleted_at TEXT NOT NULL,                 -- @clock
  number INTEGER NOT NULL UNIQUE,           -- @counter grows with each deletion, so that equal times keep their order
  state TEXT NOT NULL CHECK (state IN ('held', 'restored', 'dropped'))
);

-- What tools read.

-- A node as the user of the session sees it: bits says what the user may do (4 read, 2 write, 1 enter, added up), by
-- the first class that fits, as in POSIX.
CREATE VIEW node_now AS
SELECT n.node_id, n.kind, n.owner, n.group_name AS "group", n.mode, n.modified, n.size, n.form, n.target, n.content,
  ((CASE WHEN n.owner = s.login THEN n.mode >> 6
         WHEN instr(s.groups, ' ' || n.group_name || ' ') THEN n.mode >> 3
         ELSE n.mode END) & 7) AS bits
FROM setting s CROSS JOIN node n;

CREATE VIEW trash_now AS
SELECT t.*, e.name, e.node_id, n.kind
FROM trash_item t JOIN entry e ON e.entry_id = t.entry_id JOIN node n ON n.node_id = e.node_id
WHERE t.state = 'held';

CREATE VIEW quota_now AS
SELECT setting_id, quota_bytes AS total_bytes, used_bytes, quota_bytes - used_bytes AS free_bytes, used_entries,
  quota_entries - used_entries AS free_entries
FROM setting;
