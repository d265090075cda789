"""The checks of the calendar tools in order, from the catalogue of the domain.

Where the catalogue is silent: what an argument alone gets wrong comes first, then what does not exist, then states.
What the calendar adds to the catalogue (a room that does not exist, a calendar that takes no writes, a cancelled
event) stands in the docstring of its package.
"""

from support.orders import Apart

ORDER = {
    "list_calendars": "",
    "search_calendar_events": "calendar_not_found person_not_found invalid_time_window",
    "get_calendar_event": "event_not_found event_private",
    "list_event_occurrences": "event_not_found not_recurring invalid_time_window",
    "search_calendar_directory": "",
    "check_people_availability": "person_not_found room_not_found invalid_time_window",
    "find_common_slots": "person_not_found room_not_found invalid_time_window",
    "list_event_invitations": "",
    "create_calendar_event": "invalid_argument calendar_not_found room_not_found read_only_calendar time_in_past "
    "time_conflict room_unavailable room_too_small person_not_found person_left",
    "create_recurring_event": "invalid_argument calendar_not_found room_not_found person_not_found read_only_calendar "
    "time_in_past until_or_count_required start_not_on_weekday room_unavailable room_too_small person_left",
    "update_event_details": "event_not_found room_not_found not_organizer read_only_calendar event_in_past "
    "event_cancelled nothing_to_change room_unavailable room_too_small",
    "reschedule_calendar_event": "invalid_argument event_not_found not_organizer read_only_calendar event_in_past "
    "event_cancelled time_in_past scope_required occurrence_not_found time_conflict room_unavailable",
    "cancel_calendar_event": "invalid_argument event_not_found not_organizer read_only_calendar event_in_past "
    "scope_required occurrence_not_found already_cancelled",
    "add_event_invitees": "event_not_found person_not_found not_organizer read_only_calendar event_in_past "
    "event_cancelled already_invited person_left too_many_invitees room_too_small",
    "remove_event_invitees": "event_not_found person_not_found not_organizer read_only_calendar event_in_past "
    "event_cancelled not_invited",
    "respond_to_event_invitation": "invitation_not_found event_in_past event_cancelled same_answer",
    "set_event_reminder": "event_not_found event_in_past reminder_in_past event_cancelled",
}

APART = [
    Apart("*", "event_in_past", "event_cancelled", "whether it is cancelled is asked of occurrences to come"),
    Apart("update_event_details", "nothing_to_change", "room_not_found", "a room that does not exist is a new value"),
    Apart("update_event_details", "nothing_to_change", "room_unavailable room_too_small", "only a new room is checked"),
    Apart("add_event_invitees", "too_many_invitees", "event_not_found", "what does not exist has no invitees"),
    Apart("add_event_invitees", "too_many_invitees", "not_organizer", "in a world colleagues invite few, tools none"),
    Apart(
        "add_event_invitees", "too_many_invitees", "read_only_calendar", "its events have few invitees, tools add none"
    ),
]
