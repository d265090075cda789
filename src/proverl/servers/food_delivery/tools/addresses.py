"""Tools for delivery addresses.

Covers: listing and saving. Does not cover: changing or removing an address, which the app does not offer.
"""

from __future__ import annotations

import re
from typing import Annotated

from ....world.server import FREE, Field, Refused, World, tool
from ....world.state import Row
from .. import lookup
from ..results import AddressList, DropoffAddress, RestaurantId, SavedAddress

ADDRESS_LIMIT = 7

_HOUSE = re.compile(r"(?:(?P<before>[0-9]{1,4}) +)?(?P<street>[^0-9]+?)(?: +(?P<after>[0-9]{1,4}))?")

_LIST = """
SELECT a.*, NOT a.is_flat OR a.unit IS NOT NULL AS complete, (
  SELECT metres <= radius FROM ride WHERE ride.dropoff_address_id = a.dropoff_address_id AND restaurant_id = ?
) AS deliverable
FROM dropoff_address a ORDER BY length(a.dropoff_address_id), a.dropoff_address_id
"""


@tool("read", refusals=["restaurant_not_found"])
def list_dropoff_addresses(world: World, restaurant_id: RestaurantId | None = None) -> AddressList:
    """Lists my saved delivery addresses with label, street, unit and instructions, and whether each is complete.

    Args:
        restaurant_id: shows for each address whether this restaurant delivers there
    """
    if restaurant_id is not None:
        lookup.restaurant(world, restaurant_id)
    found = world.all(_LIST, restaurant_id)
    return {"count": len(found), "addresses": [_address(row) for row in found]}


def _address(row: Row) -> DropoffAddress:
    return {
        "dropoff_address_id": row["dropoff_address_id"],
        "label": row["label"],
        "street": row["street"],
        "unit": row["unit"],
        "postcode": row["postcode"],
        "instructions": row["instructions"],
        "complete": bool(row["complete"]),
        "deliverable": None if row["deliverable"] is None else bool(row["deliverable"]),
    }


@tool(
    "write",
    refusals=[
        "invalid_argument",
        "duplicate_label",
        "outside_service_area",
        "invalid_postcode",
        "address_limit_reached",
    ],
)
def add_dropoff_address(
    world: World,
    label: Annotated[str, Field(min_length=1, max_length=20)],
    street: Annotated[str, Field(min_length=1, max_length=80)],
    postcode: Annotated[str, Field(min_length=1, max_length=10)],
    unit: Annotated[str | None, Field(max_length=20)] = None,
    instructions: Annotated[str | None, Field(max_length=150), FREE] = None,
) -> SavedAddress:
    """Saves a delivery address under a label; there is room for 7 addresses. Flats need a unit number before anything
    can be delivered there.

    Args:
        label: 1 to 20 characters, unique
        street: street with house number, in the city, such as 12 Quay Street
        postcode: postcode, five digits
        unit: flat or floor
        instructions: for the courier, up to 150 characters
    """
    label = label.strip()
    if not label:
        raise Refused("invalid_argument", "the label is blank; give 1 to 20 characters")
    if world.value("SELECT 1 FROM dropoff_address WHERE label = ?", label):
        raise Refused("duplicate_label", f"an address called {label!r} is saved already; choose another label")
    place, number = _house(world, street)
    if postcode.strip() != place["postcode"]:
        raise Refused(
            "invalid_postcode", f"{postcode!r} is not the postcode of {place['street_name']}; ask the user for it"
        )
    if world.value("SELECT count(*) FROM dropoff_address") >= ADDRESS_LIMIT:
        raise Refused(
            "address_limit_reached",
            f"{ADDRESS_LIMIT} addresses are saved already, so {label!r} has no room; use one of those, see"
            " list_dropoff_addresses",
        )
    canonical = f"{number} {place['street_name']}"
    world.resolves("street", canonical)
    flat = (unit or "").strip() or None
    address_id = world.new_id("drp")
    world.insert(
        "dropoff_address",
        dropoff_address_id=address_id,
        label=label,
        street=canonical,
        unit=flat,
        postcode=place["postcode"],
        instructions=(instructions or "").strip() or None,
        is_flat=number >= place["flats_from"],
        x=place["x"] + number * place["step_x"],
        y=place["y"] + number * place["step_y"],
    )
    reached = world.value("SELECT count(*) FROM ride WHERE dropoff_address_id = ? AND metres <= radius", address_id)
    complete = number < place["flats_from"] or flat is not None
    return {"dropoff_address_id": address_id, "label": label, "complete": complete, "restaurant_count": reached}


def _house(world: World, text: str) -> tuple[Row, int]:
    """The street and house number that a caller means; the number may stand before or after the name."""
    read = _HOUSE.fullmatch(" ".join(text.split()))
    number = (read["before"] or read["after"]) if read else None
    if read is None or number is None or (read["before"] and read["after"]):
        raise Refused(
            "outside_service_area", f"street {text!r} is not a house number with a street, such as '12 Quay Street'"
        )
    place = world.one("SELECT * FROM street WHERE street_name = ?", read["street"])
    if place is None:
        raise Refused(
            "outside_service_area", f"{read['street']!r} is not a street of the delivery city; ask the user for another"
        )
    if not 1 <= int(number) <= place["last_number"]:
        raise Refused(
            "outside_service_area",
            f"{place['street_name']} has no house {number}; its numbers end at {place['last_number']}",
        )
    return place, int(number)
