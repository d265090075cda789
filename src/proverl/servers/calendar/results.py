"""What the tools of the calendar server take and give: entities, enumerations, and a TypedDict for each result.

Times are ISO 8601 with the offset of the user's zone, except where a person's own are told in that person's zone.
"""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import COMPARABLE, Entity, Field, Flag, Moment, Text, TypedDict

CALENDAR = Entity("calendar", "cal", "list_calendars", view="calendar_now", order="name")
EVENT = Entity("event", "evn", "search_calendar_events", view="event_now", order="start, event_id")
INVITATION = Entity(
    "invitation", "ivt", "list_event_invitations", view="invitation_now", order="received_at DESC, invitation_id DESC"
)
PERSON = Entity("person", "prs", "search_calendar_directory", order="name, department, person_id")
ROOM = Entity("room", "rom", "search_calendar_directory", order="name, building, room_id")

EVERY_EVENT = Entity("every_event", table="event", view="event_all", key="event_id", order="start, event_id")
"""Also the events that the user may not see; they take rooms."""
BUSY_EVENT = Entity("busy_event", table="event", view="busy_event", key="event_id", order="start, event_id, person_id")
"""A row for each person whose time an event takes."""

CalendarId = Annotated[str, CALENDAR]
EventId = Annotated[str, EVENT]
InvitationId = Annotated[str, INVITATION]
PersonId = Annotated[str, PERSON]
RoomId = Annotated[str, ROOM]

Answer = Literal["accepted", "declined", "tentative"]
AnswerSoFar = Literal["open", "accepted", "declined", "tentative"]
CalendarStatus = Literal["active", "archived"]
Channel = Literal["popup", "email"]
Color = Literal["blue", "green", "red", "yellow", "purple", "gray"]
Equipment = Literal["screen", "camera", "whiteboard", "phone"]
EventStatus = Literal["confirmed", "tentative", "cancelled"]
Frequency = Literal["daily", "weekly", "monthly", "yearly"]
OnConflict = Literal["reject", "allow"]
Role = Literal["owner", "editor", "reader"]
Scope = Literal["this", "following", "all"]
State = Literal["regular", "moved", "cancelled"]
Visibility = Literal["default", "private"]
Weekday = Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

Title = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
Place = Annotated[str, Field(max_length=120)]
Minutes = Annotated[int, Field(ge=5, le=1440)]
Invitees = Annotated[list[PersonId], Field(max_length=50, json_schema_extra={"uniqueItems": True})]
People = Annotated[list[PersonId], Field(min_length=1, max_length=20, json_schema_extra={"uniqueItems": True})]


class CalendarRow(TypedDict):
    """One calendar in a list."""

    calendar_id: CalendarId
    name: str
    role: Role
    time_zone: str
    color: Color
    status: CalendarStatus


class CalendarList(TypedDict):
    """The answer of list_calendars."""

    count: int
    now: Moment
    calendars: list[CalendarRow]


class Span(TypedDict):
    """What is read of an event to know when it takes place."""

    event_id: str
    title: str | None
    start: str
    duration_minutes: int
    rrule: str
    last_start: str
    status: EventStatus


class FoundSpan(Span):
    """What a search reads of an event."""

    calendar_id: str | None
    location: str | None
    recurring: int


class BusySpan(Span):
    """An event that takes somebody's time."""

    person_id: str


class EventRow(TypedDict):
    """One event or occurrence in a list; `occurrence` is null for a single event, `title` for what is private."""

    event_id: EventId
    occurrence: Moment | None
    calendar_id: CalendarId | None
    title: Text | None
    start: Moment
    end: Moment
    location: Text | None
    recurring: Flag
    status: EventStatus


class EventList(TypedDict):
    """The answer of search_calendar_events: `count` matches in all, of which up to 50 are shown."""

    count: int
    events: list[EventRow]


class Invitee(TypedDict):
    """One person who is invited to an event."""

    person_id: PersonId
    name: str
    answer: AnswerSoFar


class EventDetails(TypedDict):
    """The answer of get_calendar_event; `calendar_id` is null while an invitation to it is not accepted."""

    event_id: EventId
    calendar_id: CalendarId | None
    title: Text
    start: Moment
    end: Moment
    rrule: str
    location: Text | None
    room_id: RoomId | None
    description: Text | None
    organizer_id: PersonId
    invitees: list[Invitee]
    reminder_minutes: int
    visibility: Visibility
    status: EventStatus


class OccurrenceRow(TypedDict):
    """One occurrence of a series; `occurrence` is its start by the rule."""

    occurrence: Moment
    start: Moment
    end: Moment
    state: State


class OccurrenceList(TypedDict):
    """The answer of list_event_occurrences: `count` in the window, of which up to 60 are shown."""

    count: int
    occurrences: list[OccurrenceRow]


class PersonRow(TypedDict):
    """One colleague."""

    person_id: PersonId
    name: str
    department: str
    email: str
    time_zone: str
    working_hours: str
    status: Literal["active", "left"]


class RoomRow(TypedDict):
    """One meeting room."""

    room_id: RoomId
    name: str
    building: str
    capacity: Annotated[int, COMPARABLE]
    equipment: list[Equipment]
    status: Literal["bookable", "closed"]


class StoredRoom(TypedDict):
    """A room as it is stored: its equipment is a JSON list."""

    room_id: str
    name: str
    building: str
    capacity: int
    equipment: str
    status: str


class DirectoryPage(TypedDict):
    """The answer of search_calendar_directory: `count` people and rooms."""

    count: int
    people: list[PersonRow]
    rooms: list[RoomRow]


class Block(TypedDict):
    """A stretch of time."""

    start: Moment
    end: Moment


class PersonTime(TypedDict):
    """The busy blocks of a person, in that person's zone."""

    person_id: PersonId
    time_zone: str
    working_hours: str
    busy: list[Block]


class RoomTime(TypedDict):
    """The busy blocks of a room."""

    room_id: RoomId
    busy: list[Block]


class Availability(TypedDict):
    """The answer of check_people_availability: `count` busy blocks in all; `room` is null unless one was asked for."""

    count: int
    people: list[PersonTime]
    room: RoomTime | None


class SlotList(TypedDict):
    """The answer of find_common_slots: `count` slots in all, of which up to 10 are shown."""

    count: int
    slots: list[Block]


class InvitationRow(TypedDict):
    """One invitation in a list."""

    invitation_id: InvitationId
    event_id: EventId
    title: Text
    organizer_name: str
    start: Moment
    end: Moment
    received_at: Moment
    answer: AnswerSoFar


class InvitationList(TypedDict):
    """The answer of list_event_invitations."""

    count: int
    invitations: list[InvitationRow]


class CreatedEvent(TypedDict):
    """The answer of create_calendar_event."""

    event_id: EventId
    title: Text
    start: Moment
    end: Moment
    room_id: RoomId | None
    invited: int


class SeriesConflict(TypedDict):
    """An event that overlaps an occurrence of a series."""

    occurrence: Moment
    event_id: EventId


class CreatedSeries(TypedDict):
    """The answer of create_recurring_event."""

    event_id: EventId
    title: Text
    rrule: str
    first_start: Moment
    occurrences: int
    conflicts: list[SeriesConflict]


class ChangedEvent(TypedDict):
    """The answer of update_event_details; `changed` names what is new."""

    event_id: EventId
    title: Text
    location: Text | None
    room_id: RoomId | None
    description: Text | None
    visibility: Visibility
    changed: list[str]


class MovedEvent(TypedDict):
    """The answer of reschedule_calendar_event; `event_id` is a new one for the later part of a series."""

    event_id: EventId
    title: Text
    start: Moment
    end: Moment
    duration_minutes: int
    scope: Scope | None
    occurrence: Moment | None
    answers_reset: int


class CancelledEvent(TypedDict):
    """The answer of cancel_calendar_event."""

    event_id: EventId
    title: Text
    scope: Scope | None
    occurrence: Moment | None
    cancelled_occurrences: int
    notified: int
    note: Text | None


class AddedInvitees(TypedDict):
    """The answer of add_event_invitees."""

    event_id: EventId
    title: Text
    added: int
    invitee_count: int
    busy_person_ids: list[PersonId]


class RemovedInvitees(TypedDict):
    """The answer of remove_event_invitees."""

    event_id: EventId
    title: Text
    removed: int
    invitee_count: int


class EventConflict(TypedDict):
    """An event that overlaps another one."""

    event_id: EventId
    title: Text


class Answered(TypedDict):
    """The answer of respond_to_event_invitation."""

    invitation_id: InvitationId
    event_id: EventId
    title: Text
    answer: Answer
    comment: Text | None
    conflicts: list[EventConflict]


class Reminder(TypedDict):
    """The answer of set_event_reminder; `remind_at` is null when it is off."""

    event_id: EventId
    title: Text | None
    minutes_before: int
    remind_at: Moment | None
    channel: Channel
