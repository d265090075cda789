"""The names in a city: streets, restaurants and chains by cuisine, couriers, labels of addresses, promo codes.

Covers: vocabulary only. Does not cover: where the streets lie and who is where (seed.py).
"""

from __future__ import annotations

# The city is the same in all worlds as far as people know it by heart: streets and their postcodes.
STREETS: dict[str, str] = {
    "Quay Street": "40211",
    "Dock Road": "40215",
    "Harbour Lane": "40211",
    "Station Road": "40211",
    "Old Market": "40212",
    "New Market": "40212",
    "Chapel Street": "40212",
    "Chapel Lane": "40212",
    "Bridge Street": "40213",
    "Mill Road": "40213",
    "Orchard Road": "40211",
    "Orchard Close": "40213",
    "Castle Street": "40214",
    "Linden Avenue": "40214",
    "Elm Grove": "40214",
    "Maple Drive": "40215",
    "Park Row": "40215",
    "Victoria Square": "40215",
    "King Street": "40215",
    "Queen Street": "40216",
    "Weaver Lane": "40216",
    "Tanner Row": "40216",
    "Foundry Street": "40216",
    "Canal Walk": "40217",
    "Theatre Street": "40217",
    "Library Road": "40217",
    "Museum Place": "40217",
    "Garden Street": "40218",
    "Abbey Road": "40218",
    "Priory Lane": "40218",
}

OUTER_STREETS: dict[str, str] = {
    "Quarry Road": "40221",
    "Lighthouse Way": "40221",
    "Airfield Road": "40221",
    "Reservoir Lane": "40222",
    "Windmill Hill": "40222",
    "Forest Edge": "40222",
}

RESTAURANTS: dict[str, tuple[str, ...]] = {
    "italian": (
        "Forno Blu",
        "Forno Rosso",
        "Trattoria Lucia",
        "Osteria Nove",
        "La Piazzetta",
        "Da Enzo",
        "Casa Ferrante",
        "Pasta Madre",
        "Il Girasole",
        "Bella Riva",
    ),
    "indian": (
        "Saffron House",
        "Saffron Garden",
        "Tandoor Nights",
        "Curry Leaf",
        "Bombay Corner",
        "Masala Mill",
        "Jaipur Kitchen",
        "Lotus of Goa",
        "Punjab Table",
    ),
    "japanese": (
        "Kiku Sushi",
        "Kiku Ramen",
        "Umi",
        "Noren",
        "Sakura Table",
        "Tanuki House",
        "Ramen Yokocho",
        "Little Osaka",
        "Hana Kitchen",
        "Blue Carp",
    ),
    "mexican": (
        "Casa Agave",
        "El Molcajete",
        "Taqueria Sol",
        "Taqueria Luna",
        "La Cantina Verde",
        "Oaxaca Corner",
        "Maiz",
        "Tres Amigas",
        "Puebla Kitchen",
    ),
    "thai": (
        "Baan Thai",
        "Chili Orchid",
        "Bangkok Garden",
        "Siam Spoon",
        "Lemongrass",
        "Golden Elephant",
        "Mango Tree",
        "Coconut Lane",
        "Chiang Mai Table",
    ),
    "burgers": (
        "Smokehouse 12",
        "Patty and Sons",
        "Grill Room",
        "Burger Foundry",
        "Stacked",
        "Brick and Bun",
        "Iron Skillet",
        "Route Nine",
        "Hickory Shack",
    ),
    "bakery": (
        "Crumb and Crust",
        "Corner Oven",
        "Flour Mill",
        "Morning Loaf",
        "Miller's Daughter",
        "Sugar and Rye",
        "Brioche House",
        "Golden Sheaf",
    ),
    "vegan": (
        "Green Fork",
        "Green Spoon",
        "Root and Leaf",
        "Kind Kitchen",
        "Beetroot",
        "Sprout House",
        "Plant Pantry",
        "Wild Thyme",
    ),
}

CHAINS: dict[str, str] = {
    "Pizza Pronto": "italian",
    "Noodle Harbor": "thai",
    "Curry Mile": "indian",
    "Bun Brothers": "burgers",
    "Daily Bread": "bakery",
    "Taco Port": "mexican",
    "Sushi Go Round": "japanese",
    "Leafy": "vegan",
}

# (opens, closes) in minutes of the day. Worlds start at noon.
OPEN_HOURS = ((660, 1320), (600, 1290), (480, 1200), (690, 1380), (630, 1350), (420, 1080), (660, 900))
CLOSED_HOURS = ((1020, 1380), (990, 1350), (390, 690), (360, 660), (1080, 1410))

COURIERS = (
    "Amir",
    "Bianca",
    "Cosmin",
    "Dilara",
    "Emeka",
    "Fatou",
    "Goran",
    "Hanna",
    "Ivo",
    "Jolanta",
    "Kofi",
    "Leila",
    "Mateo",
    "Noor",
    "Oskar",
    "Priya",
)

SIMILAR_LABELS = (
    ("studio", "old studio"),
    ("parents", "grandparents"),
    ("gym", "climbing gym"),
    ("annex", "annex garden"),
    ("sister", "sister-in-law"),
    ("workshop", "workshop yard"),
)
FAR_LABELS = ("allotment", "cottage", "riding school", "boathouse")
INSTRUCTIONS = (
    "ring twice",
    "leave it with the porter",
    "side entrance by the bins",
    "call when downstairs",
    "second bell from the top",
    "please do not ring, the baby sleeps",
)
KITCHEN_NOTES = ("no onions please", "sauce on the side", "cutlery for two", "not too salty please", "no coriander")
COMMENTS = (
    "hot and on time",
    "tasty, but the portion was small",
    "the best in town",
    "a bit cold when it arrived",
    "friendly courier",
    "good value",
)

# Stems of promo codes; a world numbers them by the percents or dollars that they give. The codes on posters all over
# town are those of which one always works.
PERCENT_CODES = ("LUNCH", "FEAST", "SPICE", "CITY")
AMOUNT_CODES = ("SUPPER", "LUNCH", "DINER", "TREAT", "MENU")
POSTER_PERCENT_CODE = "NOON"
POSTER_AMOUNT_CODE = "BITE"
