"""Restaurants: searching them, their menus, the options of their dishes."""

from __future__ import annotations

import json
from typing import Annotated

from proverl.world.domain import Condition, Field, Money, World, shown, tool

from ..results import (
    ADDRESS,
    DISH,
    OFFER,
    OPTION,
    RESTAURANT,
    AddressId,
    Cuisine,
    Diet,
    Dish,
    DishId,
    DishOption,
    DishOptions,
    Menu,
    OptionGroup,
    Restaurant,
    RestaurantId,
    RestaurantPage,
)
from ..rules import PAGE, part

Query = Annotated[str | None, Field(min_length=1, max_length=60, pattern=r"\S")]


@tool("read", refusals="invalid_argument address_not_found")
def search_restaurants(
    world: World,
    query: Query = None,
    cuisine: Cuisine | None = None,
    dropoff_address_id: AddressId | None = None,
    min_rating: Annotated[float | None, Field(ge=1, le=5)] = None,
    max_delivery_fee: Annotated[Money | None, Field(ge=0, le=100)] = None,
    page: Annotated[int, Field(ge=1)] = 1,
) -> RestaurantPage:
    """Searches restaurants by name or dish, cuisine and rating; with an address only those that deliver there, with
    fee in USD and minutes. Shows minimum order and whether it is open; 20 rows per page, best rated first, then by name
    and street.

    Args:
        query: part of the restaurant's name or of a dish, up to 60 characters, not case-sensitive
        cuisine: kind of kitchen (italian, indian, japanese, mexican, thai, burgers, bakery, vegan)
        dropoff_address_id: address to deliver to, also one that still lacks its unit
        min_rating: 1.0 to 5.0, compared with the rating as shown
        max_delivery_fee: highest delivery fee in USD, 0 to 100, at most two decimals
        page: page number from 1, default 1
    """
    world.find(ADDRESS, dropoff_address_id)
    conditions: list[Condition] = [
        ("dropoff_address_id IS ?", dropoff_address_id) if dropoff_address_id else "dropoff_address_id IS NULL",
        ("rating >= ?", min_rating),
        ("delivery_fee <= ?", max_delivery_fee),
        *part("searched", query),
    ]
    found = world.page(Restaurant, OFFER, page, PAGE, *conditions, cuisine=cuisine)
    return {"count": found.count, "restaurants": found.rows}


@tool("read", refusals="restaurant_not_found")
def get_restaurant_menu(
    world: World, restaurant_id: RestaurantId, diet: Diet | None = None, query: Query = None
) -> Menu:
    """Shows the menu of a restaurant by section with price in USD, diet, allergens, whether a dish is sold out and
    whether it needs options.

    Args:
        restaurant_id: restaurant from search_restaurants
        diet: only dishes that suit this diet (vegetarian, vegan); vegan dishes are vegetarian too
        query: part of the dish name, up to 60 characters, not case-sensitive
    """
    restaurant = world.find(RESTAURANT, restaurant_id)
    suits = ("diet IN ('vegan', ?)", diet)
    dishes = world.rows(Dish, DISH, suits, *part("lower(name)", query), restaurant_id=restaurant_id)
    for dish in dishes:
        dish["allergens"] = json.loads(str(dish["allergens"]))  # the row holds a JSON array
    return shown(Menu, restaurant, count=len(dishes), dishes=dishes)


@tool("read", refusals="dish_not_found")
def get_dish_options(world: World, dish_id: DishId) -> DishOptions:
    """Lists the option groups of a dish (size, side, spice and so on) with how many must and may be chosen, extra price
    in USD and stock.

    Args:
        dish_id: dish from get_restaurant_menu
    """
    dish = world.find(DISH, dish_id)
    sql = """
        SELECT position, group_name, least > 0 AS required, least AS min_choices, most AS max_choices
        FROM option_group WHERE dish_id = ? ORDER BY position
    """
    groups = [
        shown(OptionGroup, row, options=world.rows(DishOption, OPTION, dish_id=dish_id, group_position=row["position"]))
        for row in world.all(sql, dish_id)
    ]
    return shown(DishOptions, dish, group_count=len(groups), option_groups=groups)
