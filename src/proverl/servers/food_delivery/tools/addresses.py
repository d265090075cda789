"""Delivery addresses: listing and saving them. The app offers no way to change or remove one."""

from __future__ import annotations

import re
from typing import Annotated

from proverl.world.domain import FREE, Field, Row, World, refuse, shown, tool

from ..results import ADDRESS, RESTAURANT, AddressList, DropoffAddress, RestaurantId, SavedAddress
from ..rules import trimmed

ADDRESS_LIMIT = 7
HOUSE = re.compile(r"(?:(?P<before>[0-9]{1,4}) )?(?P<street>[^0-9]+?)(?: (?P<after>[0-9]{1,4}))?")


@tool("read", refusals="restaurant_not_found")
def list_dropoff_addresses(world: World, restaurant_id: RestaurantId | None = None) -> AddressList:
    """Lists my saved delivery addresses with label, street, unit and instructions, and whether each is complete.

    Args:
        restaurant_id: shows for each address whether it lies in this restaurant's delivery area; nothing is delivered
            to an incomplete address even there
    """
    world.find(RESTAURANT, restaurant_id)
    sql = """
        SELECT a.*, (
          SELECT in_reach FROM ride WHERE ride.dropoff_address_id = a.dropoff_address_id AND restaurant_id = ?
        ) AS deliverable
        FROM dropoff_address_now a ORDER BY a.dropoff_address_id
    """
    found = [shown(DropoffAddress, row) for row in world.all(sql, restaurant_id)]
    return {"count": len(found), "addresses": found}


@tool(
    "write",
    refusals="duplicate_label outside_service_area invalid_postcode address_limit_reached",
    idempotent=True,
)
def add_dropoff_address(
    world: World,
    label: Annotated[str, Field(min_length=1, max_length=20, pattern=r"\S")],
    street: Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")],
    postcode: Annotated[str, Field(min_length=1, max_length=10, pattern=r"\S")],
    unit: Annotated[str | None, Field(max_length=20, pattern=r"\S")] = None,
    instructions: Annotated[str | None, Field(max_length=150), FREE] = None,
) -> SavedAddress:
    """Saves a delivery address under a label; there is room for 7 addresses. Flats need a unit number before anything
    can be delivered there.

    Args:
        label: 1 to 20 characters, unique
        street: street with house number, in the city, such as 12 Quay Street; up to 80 characters
        postcode: postcode, five digits, 10 characters at most
        unit: flat or floor, up to 20 characters
        instructions: for the courier, up to 150 characters
    """
    name = label.strip()
    if world.count(ADDRESS, label=name):
        refuse("duplicate_label", f"an address called {name!r} is saved already; choose another label")
    place, number = find_house(world, street)
    if postcode.strip() != place["postcode"]:
        refuse("invalid_postcode", f"{postcode!r} is not the postcode of {place['street_name']}; ask the user for it")
    if world.count(ADDRESS) >= ADDRESS_LIMIT:
        full = f"{ADDRESS_LIMIT} addresses are saved already, so {name!r} has no room"
        refuse("address_limit_reached", f"{full}; use one of those, see list_dropoff_addresses")
    house = f"{number} {place['street_name']}"
    world.resolves("street", house)
    address_id = world.add(
        ADDRESS,
        label=name,
        street=house,
        unit=trimmed(unit),
        postcode=place["postcode"],
        instructions=trimmed(instructions),
        is_flat=number >= place["flats_from"],
        x=place["x"] + number * place["step_x"],
        y=place["y"] + number * place["step_y"],
    )
    reached = world.value("SELECT count(*) FROM ride WHERE dropoff_address_id = ? AND in_reach", address_id)
    return shown(SavedAddress, world.find(ADDRESS, address_id), restaurant_count=reached)


def find_house(world: World, text: str) -> tuple[Row, int]:
    """The street and the house number, before or after its name, that a text means; refuses outside_service_area."""
    read = HOUSE.fullmatch(" ".join(text.split()))
    before, name, after = read.group("before", "street", "after") if read else (None, "", None)
    place = world.one("SELECT * FROM street WHERE street_name = ?", name)
    if (before is None) == (after is None):
        refuse("outside_service_area", f"street {text!r} is no street with one house number, such as '12 Quay Street'")
    if place is None:
        refuse("outside_service_area", f"{name!r} is not a street of the delivery city; ask the user for another")
    number = int(before or after or 0)
    if not 1 <= number <= place["last_number"]:
        known = f"{place['street_name']} has no house {number}; its numbers end at {place['last_number']}"
        refuse("outside_service_area", f"{known}; ask the user for another")
    return place, number
