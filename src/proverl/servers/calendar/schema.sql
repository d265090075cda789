-- One employee's work calendar. Times are ISO 8601 with the world's one offset and days are YYYY-MM-DD, so both sort as
-- text. "Hidden" columns are shown by no tool; rules need them.

-- Hidden as a whole: who the user is.
CREATE TABLE employee (
  employee_id INTEGER NOT NULL PRIMARY KEY,       -- @id
  person_id TEXT NOT NULL REFERENCES person (person_id)
);

CREATE TABLE calendar (
  calendar_id TEXT NOT NULL PRIMARY KEY,          -- @id
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'reader')),
  time_zone TEXT NOT NULL,
  color TEXT NOT NULL CHECK (color IN ('blue', 'green', 'red', 'yellow', 'purple', 'gray')),
  status TEXT NOT NULL CHECK (status IN ('active', 'archived')),
  main INTEGER NOT NULL CHECK (main IN (0, 1))    -- hidden: the own calendar that takes accepted invitations
);

CREATE TABLE person (
  person_id TEXT NOT NULL PRIMARY KEY,            -- @id
  name TEXT NOT NULL,
  department TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  time_zone TEXT NOT NULL,
  utc_minutes INTEGER NOT NULL,                   -- hidden: minutes of time_zone east of UTC, the same all year
  working_hours TEXT NOT NULL,                    -- such as 09:00-17:00 Mon-Fri, in the person's zone
  status TEXT NOT NULL CHECK (status IN ('active', 'left')),
  searched TEXT NOT NULL                          -- @free hidden: name, department and e-mail, case folded
);

CREATE TABLE room (
  room_id TEXT NOT NULL PRIMARY KEY,              -- @id
  name TEXT NOT NULL,
  building TEXT NOT NULL,
  capacity INTEGER NOT NULL,
  equipment TEXT NOT NULL,                        -- a JSON list of screen, camera, whiteboard, phone
  status TEXT NOT NULL CHECK (status IN ('bookable', 'closed')),
  searched TEXT NOT NULL                          -- @free hidden: name and building, case folded
);

-- Single events and series. Of a series starts_at is the first start by its rule and last_start (hidden) the last one;
-- of a single event both are its start. An all-day event lasts from midnight for 1440 minutes. An event that is in none of the user's calendars (calendar_id is null) is seen
-- by the user only if there is an invitation to it.
CREATE TABLE event (
  event_id TEXT NOT NULL PRIMARY KEY,             -- @id
  calendar_id TEXT REFERENCES calendar (calendar_id),
  title TEXT NOT NULL,
  starts_at TEXT NOT NULL,
  duration_minutes INTEGER NOT NULL CHECK (duration_minutes BETWEEN 5 AND 1440),
  rrule TEXT NOT NULL,                            -- an RRULE of RFC 5545; empty for a single event
  last_start TEXT NOT NULL,
  location TEXT,
  room_id TEXT REFERENCES room (room_id),
  description TEXT,                               -- @free
  organizer_id TEXT NOT NULL REFERENCES person (person_id),
  visibility TEXT NOT NULL CHECK (visibility IN ('default', 'private')),
  status TEXT NOT NULL CHECK (status IN ('confirmed', 'tentative', 'cancelled')),
  note TEXT,                                      -- @free hidden: what the invitees were told when it was cancelled
  reminder_minutes INTEGER NOT NULL,              -- the user's own; 0 is off
  reminder_channel TEXT NOT NULL CHECK (reminder_channel IN ('popup', 'email')),  -- hidden
  searched TEXT NOT NULL                          -- @free hidden: title, location and description, case folded
);
CREATE INDEX event_by_time ON event (last_start);
CREATE INDEX event_by_calendar ON event (calendar_id, last_start);
CREATE INDEX event_by_room ON event (room_id, last_start) WHERE room_id IS NOT NULL;
CREATE INDEX event_by_organizer ON event (organizer_id);

-- What differs from the rule of a series. `occurrence` is the start by the rule.
CREATE TABLE event_exception (
  event_id TEXT NOT NULL REFERENCES event (event_id),
  occurrence TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('moved', 'cancelled')),
  starts_at TEXT,                                 -- of a moved occurrence
  duration_minutes INTEGER,                       -- of a moved occurrence
  note TEXT,                                      -- @free hidden: what the invitees were told when it was cancelled
  dropped INTEGER NOT NULL CHECK (dropped IN (0, 1)),  -- hidden: holds no more, for the series itself was changed
  PRIMARY KEY (event_id, occurrence),
  CHECK ((kind = 'moved') = (starts_at IS NOT NULL) AND (kind = 'moved') = (duration_minutes IS NOT NULL))
);

-- Who takes part: the organiser, who has always accepted, and the invitees.
CREATE TABLE attendance (
  event_id TEXT NOT NULL REFERENCES event (event_id),
  person_id TEXT NOT NULL REFERENCES person (person_id),
  answer TEXT NOT NULL CHECK (answer IN ('open', 'accepted', 'declined', 'tentative')),
  comment TEXT,                                   -- @free hidden: the message that came with the answer
  PRIMARY KEY (event_id, person_id)
);
CREATE INDEX attendance_by_person ON attendance (person_id, event_id);

-- Invitations from others to the user, whose answer stands in attendance.
CREATE TABLE invitation (
  invitation_id TEXT NOT NULL PRIMARY KEY,        -- @id
  event_id TEXT NOT NULL UNIQUE REFERENCES event (event_id),
  received_at TEXT NOT NULL                       -- @clock
);

-- What tools read.

CREATE VIEW calendar_now AS
SELECT *, name AS calendar_name, role <> 'reader' AND status = 'active' AS writable FROM calendar;

CREATE VIEW event_all AS
SELECT *, CASE WHEN shut THEN NULL ELSE full_title END AS title, CASE WHEN shut THEN NULL ELSE full_location END AS location,
  CASE WHEN shut THEN '' ELSE full_searched END AS searched
FROM (
  SELECT e.event_id, e.calendar_id, e.starts_at AS start, e.duration_minutes, e.rrule, e.rrule <> '' AS recurring,
    strftime('%Y-%m-%dT%H:%M:%S', substr(e.starts_at, 1, 19), '+' || e.duration_minutes || ' minutes')
      || substr(e.starts_at, 20) AS end,
    e.last_start, e.room_id, e.description, e.organizer_id, e.visibility, e.status, e.reminder_minutes,
    e.reminder_channel,
    e.title AS full_title, e.location AS full_location, e.searched AS full_searched,
    e.organizer_id = (SELECT person_id FROM employee) AS mine,
    c.role <> 'reader' AND c.status = 'active' AS writable,
    c.name AS calendar_name,
    c.role = 'owner' AS own,
    -- What is private to somebody else shows as busy only.
    e.visibility = 'private' AND NOT EXISTS (
      SELECT 1 FROM attendance a WHERE a.event_id = e.event_id AND a.person_id = (SELECT person_id FROM employee)
    ) AS shut
  FROM event e LEFT JOIN calendar c USING (calendar_id)
);

CREATE VIEW event_now AS
SELECT * FROM event_all e
WHERE calendar_id IS NOT NULL OR EXISTS (SELECT 1 FROM invitation i WHERE i.event_id = e.event_id);

CREATE VIEW busy_event AS
SELECT a.person_id, e.*
FROM attendance a JOIN event_all e USING (event_id)
WHERE a.answer <> 'declined' AND e.status <> 'cancelled';

CREATE VIEW invitee AS
SELECT a.event_id, a.person_id, p.name, a.answer
FROM attendance a JOIN event e USING (event_id) JOIN person p USING (person_id)
WHERE a.person_id <> e.organizer_id;

CREATE VIEW invitation_now AS
SELECT i.*, e.title, e.start, e.end, e.status, p.name AS organizer_name, a.answer, a.person_id
FROM invitation i JOIN event_all e USING (event_id) JOIN person p ON p.person_id = e.organizer_id
JOIN attendance a ON a.event_id = i.event_id AND a.person_id = (SELECT person_id FROM employee);
