"""People, rooms and calendars of a calendar world.

Covers: the rows as they are before the first event. Does not cover: events and invitations (meetings.py, repeating.py).
"""

from __future__ import annotations

import json

from proverl.world.domain import Builder, folded

from ..results import CALENDAR, PERSON, ROOM, Color, Role
from .names import draw_people, shuffled, vocabulary
from .rows import Office

ZONES = (("Asia/Dubai", 240), ("Asia/Kolkata", 330), ("Africa/Lagos", 60))
EQUIPMENT = ("screen", "camera", "whiteboard", "phone")
CAPACITIES = (2, 4, 4, 6, 6, 8, 8, 10, 12, 14, 16, 20, 24)
LARGEST = 40
CIRCLE = 24


def store_people(office: Office) -> None:
    """Store 60 to 110 people: two with one name in different departments, part-timers, one who has left."""
    random, world = office.random, office.world
    names, company = draw_people(random), random.choice(vocabulary()["companies"])
    departments = random.sample(vocabulary()["departments"], 9)
    drawn = [next(names) for _ in range(random.randrange(60, 108))]
    drawn[7] = drawn[3]
    found = []
    for place, (first, last) in enumerate(drawn):
        zone, minutes = ZONES[0] if place == 0 else random.choices(ZONES, (5, 3, 2))[0]
        department = departments[0] if place == 3 else departments[1] if place == 7 else random.choice(departments)
        email = f"{first}.{last}{'2' if place == 7 else ''}@{company}.example".lower().replace(" ", "")
        part_time = place in (5, 9) or (place and office.happens(0.1))
        found.append(
            world.add(
                PERSON,
                name=f"{first} {last}",
                department=department,
                email=email,
                time_zone=zone,
                utc_minutes=minutes,
                working_hours=random.choice(vocabulary()["part_time" if part_time else "hours"]),
                status="left" if place == len(drawn) - 1 else "active",
                searched=folded(f"{first} {last}", department, email),
            )
        )
    office.user, office.left = found[0], found[-1]
    office.circle, office.others = found[1 : CIRCLE + 1], found[CIRCLE + 1 : -1]
    world.update(PERSON, office.user, working_hours=vocabulary()["hours"][0])
    world.insert("employee", employee_id=1, person_id=office.user)


def store_rooms(office: Office) -> None:
    """Store 8 to 15 rooms for 2 to 40 people, one of them closed."""
    random, world = office.random, office.world
    names, sites = shuffled(random, "rooms"), shuffled(random, "buildings")
    buildings = [f"{next(sites)} {kind}" for kind in random.sample(vocabulary()["building_kinds"], 3)]
    capacities = [2, LARGEST, *random.choices(CAPACITIES, k=random.randrange(6, 14))]
    closed = random.randrange(2, len(capacities))
    for place, capacity in enumerate(capacities):
        name, building = next(names), random.choice(buildings)
        has = [one for one in EQUIPMENT if office.happens(0.55)]
        room_id = world.add(
            ROOM,
            name=name,
            building=building,
            capacity=capacity,
            equipment=json.dumps(has),
            status="closed" if place == closed else "bookable",
            searched=folded(name, building),
        )
        if place != closed:
            office.rooms.append((room_id, capacity))


def store_calendars(office: Office) -> None:
    """Store 5 to 8 calendars, the two of a team with similar names."""
    random = office.random
    words = vocabulary()
    team = random.choice(words["departments"])
    ours, theirs = (name.format(team=team) for name in random.choice(words["team_calendars"]))
    shared = shuffled(random, "shared_calendars")
    own = shuffled(random, "own_calendars")
    drawn: list[tuple[str, str, Role]] = [
        ("main", random.choice(words["main_calendars"]), "owner"),
        ("personal", next(own), "owner"),
        ("team", ours, "editor"),
        ("read", theirs, "reader"),
        ("archived", next(shared).format(topic=random.choice(office.topics)), "owner"),
    ]
    more: list[tuple[str, str, Role]] = [
        ("second", next(own), "owner"),
        ("other", next(shared).format(topic=random.choice(office.topics)), "reader"),
        ("joint", next(shared).format(topic=random.choice(office.topics)), "editor"),
    ]
    drawn += random.sample(more, random.randrange(len(more) + 1))
    for role, name, right in random.sample(drawn, len(drawn)):
        office.calendars[role] = _store_calendar(office.world, role, name, right)


def _store_calendar(world: Builder, role: str, name: str, right: Role) -> str:
    colors: list[Color] = ["blue", "green", "red", "yellow", "purple", "gray"]
    return world.add(
        CALENDAR,
        name=name,
        role=right,
        time_zone=ZONES[0][0] if right == "owner" else world.random.choice(ZONES)[0],
        color=world.random.choice(colors),
        status="active",
        main=int(role == "main"),
    )
