"""What the reads of the food delivery app should answer.

Covers: all reads of food_delivery. Does not cover: writes; the rounding that only writes do.

Written from the published descriptions, schema.sql and the domain's rules, without the tools. Where those are silent
the choice is named beside it: ties in the list of restaurants, rounding, upper and lower case.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from proverl.laws.oracles import Oracle, Refusal, Row, Tables
from proverl.records import Json

PAGE = 20
EPOCH = datetime(1970, 1, 1)
CONFIRM_AND_PREPARE = 8  # minutes from the order to the stove
MINUTES_PER_KM = 4
HIGHEST_TIP = 5000
CASH_LIMIT = 6000  # in all, the tip included
TIP_WINDOW = 60 * 60
RATING_WINDOW = 7 * 24 * 60 * 60
REPORT_WINDOW = 48 * 60 * 60


def _row(rows: Iterable[Row], column: str, value: Json, code: str) -> Row:
    for row in rows:
        if row[column] == value:
            return row
    raise Refusal(code)


def _by(tables: Tables, table: str, column: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in tables.rows[table]:
        groups.setdefault(row[column], []).append(row)
    return groups


def _seconds(tables: Tables) -> int:
    return round((tables.now - EPOCH).total_seconds())


def _moment(tables: Tables, seconds: int | None) -> str | None:
    if seconds is None:
        return None
    local = (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=timezone(tables.offset))
    return local.isoformat(timespec="seconds")


def _dollars(cents: int) -> float:
    return cents / 100


def _holds(text: str, part: str) -> bool:
    """A part of a name, in any case as Unicode defines it, blanks around it aside; nothing in it is a pattern."""
    return part.strip().casefold() in text.casefold()


def _page(rows: list[Row], arguments: dict[str, Json]) -> list[Row]:
    start = (int(arguments.get("page", 1)) - 1) * PAGE
    return rows[start : start + PAGE]


# Restaurants and their dishes


def _open_now(tables: Tables, restaurant: Row) -> bool:
    """From the minute of opening to the one before closing; no restaurant is open over midnight."""
    minute = tables.now.hour * 60 + tables.now.minute
    return bool(restaurant["open_from"] <= minute < restaurant["open_until"])


def _rating(restaurant: Row) -> float:
    """The average in tenths, halves up, as shown; filter and order go by it, for it is all that a caller sees."""
    stars, ratings = restaurant["stars"], restaurant["ratings"]
    tenths: int = (20 * stars + ratings) // (2 * ratings)
    return tenths / 10


def _metres(address: Row, restaurant: Row) -> int:
    """Both legs along the grid to the nearest quarter of a kilometre, at least one quarter."""
    legs = abs(address["x"] - restaurant["x"]) + abs(address["y"] - restaurant["y"])
    return int(max(1, (legs + 125) // 250) * 250)


def _delivers(address: Row, restaurant: Row) -> bool:
    return bool(_metres(address, restaurant) <= restaurant["radius"])


def _complete(address: Row) -> bool:
    return not address["is_flat"] or bool(address["unit"])


def _fee_limit(arguments: dict[str, Json]) -> int | None:
    """In cents; an amount is written with at most two decimals, so that 0.30000000000000004 is none."""
    if "max_delivery_fee" not in arguments:
        return None
    exact = Decimal(repr(arguments["max_delivery_fee"])) * 100
    if exact != int(exact):
        raise Refusal("invalid_argument")
    return int(exact)


def search_restaurants(tables: Tables, arguments: dict[str, Json]) -> Json:
    """Best rated first, then by name and street. The amount is judged before the address is looked up."""
    limit = _fee_limit(arguments)
    address = None
    if "dropoff_address_id" in arguments:
        known = tables.rows["dropoff_address"]
        address = _row(known, "dropoff_address_id", arguments["dropoff_address_id"], "address_not_found")
    dishes = _by(tables, "dish", "restaurant_id")
    found = []
    for restaurant in tables.rows["restaurant"]:
        names = [restaurant["name"], *(dish["name"] for dish in dishes.get(restaurant["restaurant_id"], []))]
        if (
            (address is None or _delivers(address, restaurant))
            and any(_holds(name, arguments.get("query", "")) for name in names)
            and arguments.get("cuisine", restaurant["cuisine"]) == restaurant["cuisine"]
            and _rating(restaurant) >= arguments.get("min_rating", 0)
            and (limit is None or restaurant["fee_cents"] <= limit)
        ):
            found.append(restaurant)
    found.sort(key=lambda restaurant: (-_rating(restaurant), restaurant["name"], restaurant["street"]))
    return {"count": len(found), "restaurants": [_hit(tables, row, address) for row in _page(found, arguments)]}


def _hit(tables: Tables, restaurant: Row, address: Row | None) -> Json:
    minutes = None
    if address is not None:
        ride = MINUTES_PER_KM * _metres(address, restaurant) // 1000
        minutes = CONFIRM_AND_PREPARE + restaurant["prep_minutes"] + ride
    return {
        "restaurant_id": restaurant["restaurant_id"],
        "name": restaurant["name"],
        "street": restaurant["street"],
        "cuisine": restaurant["cuisine"],
        "rating": _rating(restaurant),
        "open_now": _open_now(tables, restaurant),
        "open_until": "{:02}:{:02}".format(*divmod(restaurant["open_until"], 60)),
        "minimum_order": _dollars(restaurant["minimum_cents"]),
        "delivery_fee": _dollars(restaurant["fee_cents"]),
        "delivery_minutes": minutes,
        "accepts_cash": bool(restaurant["accepts_cash"]),
    }


def get_restaurant_menu(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The dishes in the order of the printed menu."""
    chosen = arguments["restaurant_id"]
    restaurant = _row(tables.rows["restaurant"], "restaurant_id", chosen, "restaurant_not_found")
    suits = {"vegan": ("vegan",), "vegetarian": ("vegetarian", "vegan")}.get(arguments.get("diet", ""))
    groups = _by(tables, "option_group", "dish_id")
    dishes = [
        {
            "dish_id": dish["dish_id"],
            "name": dish["name"],
            "section": dish["section"],
            "price": _dollars(dish["price_cents"]),
            "diet": dish["diet"],
            "allergens": json.loads(dish["allergens"]),
            "sold_out": bool(dish["sold_out"]),
            "has_options": dish["dish_id"] in groups,
            "has_required_options": any(group["least"] > 0 for group in groups.get(dish["dish_id"], [])),
        }
        for dish in sorted(tables.rows["dish"], key=lambda dish: dish["position"])
        if dish["restaurant_id"] == chosen
        and (suits is None or dish["diet"] in suits)
        and _holds(dish["name"], arguments.get("query", ""))
    ]
    return {
        "restaurant_id": chosen,
        "name": restaurant["name"],
        "open_now": _open_now(tables, restaurant),
        "minimum_order": _dollars(restaurant["minimum_cents"]),
        "count": len(dishes),
        "dishes": dishes,
    }


def get_dish_options(tables: Tables, arguments: dict[str, Json]) -> Json:
    """Groups and options in the order of the menu."""
    dish = _row(tables.rows["dish"], "dish_id", arguments["dish_id"], "dish_not_found")
    options = sorted(_by(tables, "dish_option", "dish_id").get(dish["dish_id"], []), key=lambda row: row["position"])
    groups = sorted(_by(tables, "option_group", "dish_id").get(dish["dish_id"], []), key=lambda row: row["position"])
    return {
        "dish_id": dish["dish_id"],
        "name": dish["name"],
        "price": _dollars(dish["price_cents"]),
        "group_count": len(groups),
        "option_groups": [
            {
                "group_name": group["group_name"],
                "required": group["least"] > 0,
                "min_choices": group["least"],
                "max_choices": group["most"],
                "options": [
                    {
                        "option_id": option["option_id"],
                        "name": option["name"],
                        "extra_price": _dollars(option["extra_cents"]),
                        "sold_out": bool(option["sold_out"]),
                    }
                    for option in options
                    if option["group_position"] == group["position"]
                ],
            }
            for group in groups
        ],
    }


# Baskets


def _applies(tables: Tables, promo: Row, restaurant_id: str, subtotal: int) -> bool:
    """Once per account, within its days, at its restaurant, from its minimum on; some for a first order only.

    A code that a cancelled order used stays used, but a cancelled order is nobody's first: the rules leave both open.
    """
    orders = tables.rows["food_order"]
    known = any(order["restaurant_id"] == restaurant_id and not order["cancelled"] for order in orders)
    return (
        all(order["promo_code"] != promo["code"] for order in orders)
        and promo["valid_from"] <= tables.now.date().isoformat() <= promo["valid_until"]
        and promo["restaurant_id"] in (None, restaurant_id)
        and not (promo["first_order"] and known)
        and promo["minimum_cents"] <= subtotal
    )


def _discount(tables: Tables, basket: Row, subtotal: int) -> int:
    """Percent of the subtotal, fractions of a cent left out, or an amount up to the subtotal.

    A code that would not apply any more stays on the basket and takes nothing off.
    """
    for promo in tables.rows["promo"]:
        if promo["code"] == basket["promo_code"] and _applies(tables, promo, basket["restaurant_id"], subtotal):
            return int(min(subtotal, promo["off_cents"] + subtotal * promo["percent"] // 100))
    return 0


def _basket_line(tables: Tables, line: Row) -> Json:
    dish = next(row for row in tables.rows["dish"] if row["dish_id"] == line["dish_id"])
    by_id = {row["option_id"]: row for row in tables.rows["dish_option"]}
    options = [by_id[option] for option in json.loads(line["option_ids"])]
    return {
        "basket_line_id": line["basket_line_id"],
        "dish_id": line["dish_id"],
        "dish_name": dish["name"],
        "option_names": [option["name"] for option in options],
        "quantity": line["quantity"],
        "line_price": _dollars(line["quantity"] * line["unit_cents"]),
        "sold_out": bool(dish["sold_out"]) or any(option["sold_out"] for option in options),
    }


def list_food_baskets(tables: Tables, arguments: dict[str, Json]) -> Json:
    """In the order in which they were opened, lines in the order in which they were added."""
    address = None
    if "dropoff_address_id" in arguments:
        known = tables.rows["dropoff_address"]
        address = _row(known, "dropoff_address_id", arguments["dropoff_address_id"], "address_not_found")
    baskets = [_basket(tables, row, address) for row in tables.rows["basket"] if row["state"] == "open"]
    wallet = tables.rows["account"][0]["wallet_cents"]
    return {"count": len(baskets), "wallet_balance": _dollars(wallet), "baskets": baskets}


def _basket(tables: Tables, basket: Row, address: Row | None) -> Json:
    restaurant = next(r for r in tables.rows["restaurant"] if r["restaurant_id"] == basket["restaurant_id"])
    lines = [
        line for line in tables.rows["basket_line"] if line["basket_id"] == basket["basket_id"] and not line["removed"]
    ]
    subtotal = sum(line["quantity"] * line["unit_cents"] for line in lines)
    discount = _discount(tables, basket, subtotal)
    reached = address is not None and _delivers(address, restaurant)
    return {
        "basket_id": basket["basket_id"],
        "restaurant_id": restaurant["restaurant_id"],
        "restaurant_name": restaurant["name"],
        "street": restaurant["street"],
        "lines": [_basket_line(tables, line) for line in lines],
        "subtotal": _dollars(subtotal),
        "discount": _dollars(discount),
        "delivery_fee": _dollars(restaurant["fee_cents"]) if reached else None,
        "total": _dollars(subtotal - discount + restaurant["fee_cents"]) if reached else None,
        "minimum_order": _dollars(restaurant["minimum_cents"]),
        "missing_to_minimum": _dollars(max(0, restaurant["minimum_cents"] - subtotal)),
        "promo_code": basket["promo_code"],
        "usable_promo_codes": sorted(
            promo["code"]
            for promo in tables.rows["promo"]
            if _applies(tables, promo, restaurant["restaurant_id"], subtotal)
        ),
    }


def list_dropoff_addresses(tables: Tables, arguments: dict[str, Json]) -> Json:
    """In the order in which they were saved."""
    restaurant = None
    if "restaurant_id" in arguments:
        known = tables.rows["restaurant"]
        restaurant = _row(known, "restaurant_id", arguments["restaurant_id"], "restaurant_not_found")
    addresses = [
        {
            **{
                name: row[name]
                for name in ("dropoff_address_id", "label", "street", "unit", "postcode", "instructions")
            },
            "complete": _complete(row),
            "deliverable": None if restaurant is None else _delivers(row, restaurant),
        }
        for row in tables.rows["dropoff_address"]
    ]
    return {"count": len(addresses), "addresses": addresses}


# Orders

STAGES = (("confirmed", "placed"), ("preparing", "confirmed"), ("riding", "preparing"), ("delivered", "riding"))


def _stage(tables: Tables, order: Row) -> str:
    """A stage lasts until the moment at which the next one begins."""
    if order["cancelled"]:
        return "cancelled"
    for following, stage in STAGES:
        if _seconds(tables) < order[f"{following}_at"]:
            return stage
    return "delivered"


def _total(order: Row) -> int:
    return int(order["items_cents"] + order["fee_cents"] + order["tip_cents"] - order["discount_cents"])


def _since(arguments: dict[str, Json]) -> date:
    text = arguments.get("since", "0001-01-01")
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refusal("invalid_dates") from None
    if day.isoformat() != text:
        raise Refusal("invalid_dates")
    return day


def list_food_orders(tables: Tables, arguments: dict[str, Json]) -> Json:
    """Newest first; no two are placed at the same moment."""
    since = _since(arguments)
    restaurants = {row["restaurant_id"]: row for row in tables.rows["restaurant"]}
    dishes = {row["dish_id"]: row["name"] for row in tables.rows["dish"]}
    lines = _by(tables, "food_order_line", "order_id")
    found = []
    for order in sorted(tables.rows["food_order"], key=lambda row: row["placed_at"], reverse=True):
        names = [dishes[line["dish_id"]] for line in lines[order["order_id"]]]
        names.append(restaurants[order["restaurant_id"]]["name"])
        stage = _stage(tables, order)
        if (
            arguments.get("stage", stage) == stage
            and any(_holds(name, arguments.get("query", "")) for name in names)
            and (EPOCH + timedelta(seconds=order["placed_at"])).date() >= since
        ):
            found.append(order)
    rows = [_listed(tables, order, restaurants[order["restaurant_id"]]) for order in _page(found, arguments)]
    return {"count": len(found), "orders": rows}


def _listed(tables: Tables, order: Row, restaurant: Row) -> Json:
    """What can still be done, the last second of each window included."""
    stage = _stage(tables, order)
    age = _seconds(tables) - order["delivered_at"]
    rated = any(row["order_id"] == order["order_id"] for row in tables.rows["order_rating"])
    reported = any(row["order_id"] == order["order_id"] for row in tables.rows["problem_case"])
    return {
        "order_id": order["order_id"],
        "restaurant_id": order["restaurant_id"],
        "restaurant_name": restaurant["name"],
        "street": restaurant["street"],
        "placed_at": _moment(tables, order["placed_at"]),
        "stage": stage,
        "total": _dollars(_total(order)),
        "tip": _dollars(order["tip_cents"]),
        "delivered_at": _moment(tables, order["delivered_at"]) if stage == "delivered" else None,
        "can_tip": stage != "cancelled" and age <= TIP_WINDOW and _one_cent_more(tables, order),
        "can_rate": stage == "delivered" and age <= RATING_WINDOW and not rated,
        "can_report": stage == "delivered" and age <= REPORT_WINDOW and not reported,
    }


def _one_cent_more(tables: Tables, order: Row) -> bool:
    """Whether a tip one cent higher is within its limit, and can be paid the way the order was."""
    payable = {
        "card": True,
        "cash": _total(order) < CASH_LIMIT,
        "wallet": tables.rows["account"][0]["wallet_cents"] > 0,
    }
    return bool(order["tip_cents"] < HIGHEST_TIP and payable[order["pay_with"]])


def _cancel_fee(stage: str, order: Row) -> float | None:
    """Nothing while placed, then half of the total, the odd cent left out; null where it is too late."""
    if stage == "placed":
        return 0.0
    return _dollars(_total(order) // 2) if stage in ("confirmed", "preparing") else None


def _order_lines(tables: Tables, order_id: str) -> Json:
    dishes = {row["dish_id"]: row["name"] for row in tables.rows["dish"]}
    options = {row["option_id"]: row["name"] for row in tables.rows["dish_option"]}
    return [
        {
            "dish_id": line["dish_id"],
            "dish_name": dishes[line["dish_id"]],
            "option_names": [options[option] for option in json.loads(line["option_ids"])],
            "quantity": line["quantity"],
            "line_price": _dollars(line["quantity"] * line["unit_cents"]),
        }
        for line in tables.rows["food_order_line"]
        if line["order_id"] == order_id
    ]


def track_food_order(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The courier rides at an even pace, so what is left of the way is as the time left to what the ride takes."""
    order = _row(tables.rows["food_order"], "order_id", arguments["order_id"], "order_not_found")
    restaurant = next(r for r in tables.rows["restaurant"] if r["restaurant_id"] == order["restaurant_id"])
    courier = next(row["name"] for row in tables.rows["courier"] if row["courier_id"] == order["courier_id"])
    stage = _stage(tables, order)
    distance = None
    if stage == "riding":
        left = order["delivered_at"] - _seconds(tables)
        distance = round(order["metres"] * left / (order["delivered_at"] - order["riding_at"]) / 1000, 1)
    return {
        "order_id": order["order_id"],
        "restaurant_id": order["restaurant_id"],
        "restaurant_name": restaurant["name"],
        "street": restaurant["street"],
        "stage": stage,
        "stage_since": _moment(tables, order[f"{stage}_at"]),
        "arrives_at": None if stage == "cancelled" else _moment(tables, order["delivered_at"]),
        "promised_at": _moment(tables, order["promised_at"]),
        "courier_name": courier if stage in ("riding", "delivered") else None,
        "courier_distance_km": distance,
        "total": _dollars(_total(order)),
        "tip": _dollars(order["tip_cents"]),
        "pay_with": order["pay_with"],
        "cancel_fee_now": _cancel_fee(stage, order),
        "free_cancel_until": _moment(tables, order["confirmed_at"]) if stage == "placed" else None,
        "lines": _order_lines(tables, order["order_id"]),
    }


ORACLES: dict[str, Oracle] = {
    "search_restaurants": search_restaurants,
    "get_restaurant_menu": get_restaurant_menu,
    "get_dish_options": get_dish_options,
    "list_food_baskets": list_food_baskets,
    "list_dropoff_addresses": list_dropoff_addresses,
    "list_food_orders": list_food_orders,
    "track_food_order": track_food_order,
}
