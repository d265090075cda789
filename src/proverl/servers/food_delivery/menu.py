"""What the kitchens of the city can cook: dishes by cuisine, and the groups of options that dishes come with.

Covers: vocabulary only. Does not cover: which restaurant serves what, at which price and with which options (seed.py).
"""

from __future__ import annotations

from typing import NamedTuple


class Recipe(NamedTuple):
    """A dish that restaurants of one cuisine may serve; `groups` names the option groups it may come with."""

    section: str
    name: str
    cents: int
    diet: str
    allergens: str
    groups: str


class OptionGroup(NamedTuple):
    """A choice that comes with a dish: at least `least` and at most `most` of the options (name, extra cents)."""

    name: str
    least: int
    most: int
    options: tuple[tuple[str, int], ...]


# Option names are unique over all groups that one recipe may have.
GROUPS = {
    "pizza_size": OptionGroup("Size", 1, 1, (("Small", 0), ("Medium", 250), ("Large", 450))),
    "toppings": OptionGroup(
        "Extra toppings", 0, 3, (("Extra olives", 100), ("Mushrooms", 120), ("Rocket", 100), ("Extra mozzarella", 180))
    ),
    "crust": OptionGroup("Crust", 1, 1, (("Thin crust", 0), ("Deep crust", 100), ("Gluten-free crust", 200))),
    "pasta": OptionGroup("Pasta", 1, 1, (("Spaghetti", 0), ("Rigatoni", 0), ("Fresh tagliatelle", 150))),
    "salad_side": OptionGroup("Side", 0, 1, (("Garlic bread", 350), ("Green salad", 390), ("Focaccia", 320))),
    "spice": OptionGroup("Spice", 1, 1, (("Mild", 0), ("Medium hot", 0), ("Hot", 0), ("Very hot", 0))),
    "rice": OptionGroup("Rice", 1, 1, (("Basmati rice", 0), ("Pilau rice", 80), ("Brown rice", 60))),
    "bread": OptionGroup("Bread", 0, 2, (("Plain naan", 250), ("Garlic naan", 300), ("Roti", 200))),
    "thali": OptionGroup(
        "Curries", 2, 2, (("Dal makhani", 0), ("Aloo gobi", 0), ("Chana masala", 0), ("Palak paneer", 100))
    ),
    "chutney": OptionGroup("Chutney", 0, 2, (("Mango chutney", 60), ("Mint chutney", 60), ("Tamarind sauce", 60))),
    "broth": OptionGroup("Broth", 1, 1, (("Shoyu broth", 0), ("Miso broth", 0), ("Spicy miso broth", 100))),
    "ramen_extra": OptionGroup(
        "Extras", 0, 3, (("Soft egg", 150), ("Extra noodles", 200), ("Nori", 80), ("Bamboo shoots", 110))
    ),
    "pieces": OptionGroup("Pieces", 1, 1, (("6 pieces", 0), ("8 pieces", 240), ("12 pieces", 620))),
    "soy": OptionGroup("Sauce", 0, 1, (("Reduced-salt soy sauce", 0), ("Ponzu", 50), ("Spicy mayonnaise", 80))),
    "filling": OptionGroup(
        "Filling", 1, 1, (("Chicken tinga", 0), ("Pork carnitas", 50), ("Black beans", 0), ("Grilled cactus", 0))
    ),
    "salsa": OptionGroup("Salsa", 1, 2, (("Salsa verde", 0), ("Pico de gallo", 0), ("Chipotle salsa", 0))),
    "mexican_extra": OptionGroup("Extras", 0, 2, (("Guacamole", 180), ("Sour cream", 90), ("Jalapenos", 70))),
    "protein": OptionGroup("Protein", 1, 1, (("Chicken", 0), ("Beef", 150), ("Prawns", 250), ("Tofu", 0))),
    "noodles": OptionGroup("Noodles", 1, 1, (("Rice noodles", 0), ("Egg noodles", 0), ("Glass noodles", 50))),
    "thai_side": OptionGroup("Side", 0, 1, (("Jasmine rice", 220), ("Sticky rice", 260), ("Prawn crackers", 280))),
    "doneness": OptionGroup("Cooking", 1, 1, (("Medium done", 0), ("Well done", 0))),
    "burger_side": OptionGroup(
        "Side", 1, 1, (("Fries", 0), ("Sweet potato fries", 120), ("Coleslaw", 0), ("Onion rings", 150))
    ),
    "burger_extra": OptionGroup(
        "Extras", 0, 3, (("Bacon", 170), ("Cheddar", 120), ("Fried egg", 140), ("Pickles", 50))
    ),
    "dip": OptionGroup("Dip", 0, 2, (("Ketchup", 40), ("Aioli", 70), ("Barbecue sauce", 60), ("Blue cheese dip", 90))),
    "drink_size": OptionGroup("Size", 1, 1, (("Regular", 0), ("Grande", 120))),
    "milk": OptionGroup("Milk", 1, 1, (("Whole milk", 0), ("Oat milk", 50), ("Almond milk", 60))),
    "spread": OptionGroup("Spread", 0, 2, (("Butter", 60), ("Strawberry jam", 80), ("Hazelnut cream", 110))),
    "slices": OptionGroup("Cut", 1, 1, (("Whole loaf", 0), ("Sliced loaf", 0), ("Half a loaf", 0))),
    "bowl_base": OptionGroup("Base", 1, 1, (("Quinoa", 0), ("Wild rice", 0), ("Leaf salad", 0))),
    "dressing": OptionGroup("Dressing", 1, 1, (("Tahini dressing", 0), ("Lemon dressing", 0), ("Peanut dressing", 40))),
    "bowl_extra": OptionGroup(
        "Extras", 0, 3, (("Avocado", 190), ("Smoked tofu", 160), ("Toasted seeds", 90), ("Kimchi", 120))
    ),
}

RECIPES: dict[str, tuple[Recipe, ...]] = {
    "italian": (
        Recipe("Starters", "Bruschetta", 650, "vegan", "gluten", ""),
        Recipe("Starters", "Caprese", 890, "vegetarian", "milk", ""),
        Recipe("Starters", "Minestrone", 690, "vegan", "celery", ""),
        Recipe("Starters", "Arancini", 790, "vegetarian", "gluten milk egg", ""),
        Recipe("Pizza", "Margherita", 990, "vegetarian", "gluten milk", "pizza_size toppings"),
        Recipe("Pizza", "Marinara", 890, "vegan", "gluten", "pizza_size toppings"),
        Recipe("Pizza", "Diavola", 1190, "none", "gluten milk", "pizza_size toppings"),
        Recipe("Pizza", "Quattro Formaggi", 1250, "vegetarian", "gluten milk", "pizza_size crust"),
        Recipe("Pizza", "Prosciutto e Funghi", 1290, "none", "gluten milk", "pizza_size crust"),
        Recipe("Pizza", "Verdure", 1150, "vegan", "gluten", "pizza_size crust"),
        Recipe("Pizza", "Tonno e Cipolla", 1240, "none", "gluten milk fish", "pizza_size toppings"),
        Recipe("Pizza", "Capricciosa", 1290, "none", "gluten milk", "pizza_size toppings"),
        Recipe("Pasta", "Carbonara", 1190, "none", "gluten milk egg", "pasta salad_side"),
        Recipe("Pasta", "Arrabbiata", 990, "vegan", "gluten", "pasta salad_side"),
        Recipe("Pasta", "Ragu alla Bolognese", 1250, "none", "gluten celery", "pasta salad_side"),
        Recipe("Pasta", "Pesto alla Genovese", 1150, "vegetarian", "gluten milk nuts", "pasta"),
        Recipe("Pasta", "Lasagne", 1290, "none", "gluten milk egg", "salad_side"),
        Recipe("Pasta", "Gnocchi al Gorgonzola", 1190, "vegetarian", "gluten milk egg", "salad_side"),
        Recipe("Mains", "Saltimbocca", 1690, "none", "milk", "salad_side"),
        Recipe("Mains", "Melanzane alla Parmigiana", 1290, "vegetarian", "milk", "salad_side"),
        Recipe("Desserts", "Tiramisu", 590, "vegetarian", "gluten milk egg", ""),
        Recipe("Desserts", "Panna Cotta", 550, "none", "milk", ""),
        Recipe("Desserts", "Lemon Sorbet", 450, "vegan", "", ""),
        Recipe("Drinks", "San Pellegrino", 290, "vegan", "", ""),
        Recipe("Drinks", "Blood Orange Soda", 320, "vegan", "", ""),
    ),
    "indian": (
        Recipe("Starters", "Samosas", 490, "vegan", "gluten", "chutney"),
        Recipe("Starters", "Onion Bhajis", 520, "vegan", "", "chutney"),
        Recipe("Starters", "Pakoras", 540, "vegan", "", "chutney"),
        Recipe("Starters", "Seekh Kebab", 790, "none", "", "chutney"),
        Recipe("Curries", "Chicken Tikka Masala", 1290, "none", "milk nuts", "spice rice"),
        Recipe("Curries", "Butter Chicken", 1290, "none", "milk nuts", "spice rice"),
        Recipe("Curries", "Lamb Rogan Josh", 1450, "none", "", "spice rice"),
        Recipe("Curries", "Beef Vindaloo", 1390, "none", "mustard", "rice bread"),
        Recipe("Curries", "Prawn Madras", 1490, "none", "shellfish mustard", "spice rice"),
        Recipe("Curries", "Chicken Korma", 1250, "none", "milk nuts", "rice bread"),
        Recipe("Vegetable curries", "Chana Masala", 990, "vegan", "", "spice bread"),
        Recipe("Vegetable curries", "Palak Paneer", 1090, "vegetarian", "milk", "spice bread"),
        Recipe("Vegetable curries", "Aloo Gobi", 980, "vegan", "", "spice bread"),
        Recipe("Vegetable curries", "Dal Makhani", 990, "vegetarian", "milk", "bread"),
        Recipe("Vegetable curries", "Baingan Bharta", 1050, "vegan", "", "spice bread"),
        Recipe("Specials", "Vegetable Thali", 1490, "vegetarian", "gluten milk", "thali"),
        Recipe("Specials", "Maharaja Thali", 1790, "none", "gluten milk", "thali spice"),
        Recipe("Biryani", "Chicken Biryani", 1290, "none", "milk", "spice"),
        Recipe("Biryani", "Lamb Biryani", 1450, "none", "milk", "spice"),
        Recipe("Biryani", "Vegetable Biryani", 1090, "vegan", "nuts", "spice"),
        Recipe("Bread and sides", "Peshwari Naan", 390, "vegetarian", "gluten milk nuts", ""),
        Recipe("Bread and sides", "Raita", 290, "vegetarian", "milk", ""),
        Recipe("Desserts", "Gulab Jamun", 450, "vegetarian", "gluten milk", ""),
        Recipe("Desserts", "Mango Kulfi", 480, "vegetarian", "milk nuts", ""),
        Recipe("Drinks", "Mango Lassi", 390, "vegetarian", "milk", "drink_size"),
    ),
    "japanese": (
        Recipe("Small dishes", "Edamame", 450, "vegan", "soy", ""),
        Recipe("Small dishes", "Miso Soup", 390, "none", "soy fish", ""),
        Recipe("Small dishes", "Chicken Karaage", 790, "none", "gluten soy egg", "soy"),
        Recipe("Small dishes", "Vegetable Gyoza", 690, "vegan", "gluten soy sesame", "soy"),
        Recipe("Small dishes", "Pork Gyoza", 750, "none", "gluten soy sesame", "soy"),
        Recipe("Small dishes", "Seaweed Salad", 590, "vegan", "soy sesame", ""),
        Recipe("Ramen", "Tonkotsu Ramen", 1390, "none", "gluten soy egg", "ramen_extra spice"),
        Recipe("Ramen", "Chicken Ramen", 1290, "none", "gluten soy egg", "broth ramen_extra"),
        Recipe("Ramen", "Tofu Ramen", 1190, "vegan", "gluten soy", "broth ramen_extra"),
        Recipe("Ramen", "Seafood Ramen", 1490, "none", "gluten soy shellfish fish", "broth ramen_extra"),
        Recipe("Noodles and rice", "Yaki Udon", 1150, "none", "gluten soy", "spice"),
        Recipe("Noodles and rice", "Chicken Katsu Curry", 1290, "none", "gluten egg celery", "spice"),
        Recipe("Noodles and rice", "Tofu Katsu Curry", 1190, "vegan", "gluten soy celery", "spice"),
        Recipe("Noodles and rice", "Teriyaki Salmon", 1590, "none", "soy fish sesame", "soy"),
        Recipe("Noodles and rice", "Gyudon", 1250, "none", "soy egg", ""),
        Recipe("Sushi", "Salmon Nigiri", 1190, "none", "fish", "pieces soy"),
        Recipe("Sushi", "Tuna Nigiri", 1290, "none", "fish", "pieces soy"),
        Recipe("Sushi", "California Roll", 990, "none", "shellfish egg sesame", "pieces soy"),
        Recipe("Sushi", "Spicy Tuna Roll", 1090, "none", "fish egg sesame", "pieces soy"),
        Recipe("Sushi", "Avocado Roll", 790, "vegan", "sesame", "pieces soy"),
        Recipe("Sushi", "Cucumber Maki", 590, "vegan", "sesame", "pieces"),
        Recipe("Sushi", "Dragon Roll", 1390, "none", "shellfish egg sesame soy", "pieces soy"),
        Recipe("Desserts", "Mochi", 550, "vegan", "soy", ""),
        Recipe("Desserts", "Matcha Cheesecake", 590, "vegetarian", "gluten milk egg", ""),
        Recipe("Drinks", "Green Iced Tea", 320, "vegan", "", "drink_size"),
    ),
    "mexican": (
        Recipe("Starters", "Nachos", 790, "vegetarian", "milk", "salsa mexican_extra"),
        Recipe("Starters", "Elote", 490, "vegetarian", "milk egg", ""),
        Recipe("Starters", "Tortilla Soup", 650, "none", "milk", ""),
        Recipe("Starters", "Chips and Guacamole", 690, "vegan", "", "salsa"),
        Recipe("Tacos", "Tacos al Pastor", 1090, "none", "", "salsa mexican_extra"),
        Recipe("Tacos", "Fish Tacos", 1190, "none", "fish gluten egg", "salsa mexican_extra"),
        Recipe("Tacos", "Mushroom Tacos", 990, "vegan", "", "salsa mexican_extra"),
        Recipe("Tacos", "Barbacoa Tacos", 1150, "none", "", "salsa mexican_extra"),
        Recipe("Tacos", "Cactus Tacos", 980, "vegan", "", "salsa"),
        Recipe("Burritos and bowls", "Burrito", 1090, "none", "gluten milk", "filling salsa"),
        Recipe("Burritos and bowls", "Burrito Bowl", 1150, "none", "milk", "filling mexican_extra"),
        Recipe("Burritos and bowls", "Quesadilla", 950, "none", "gluten milk", "filling salsa"),
        Recipe("Burritos and bowls", "Bean Burrito", 950, "vegan", "gluten", "salsa mexican_extra"),
        Recipe("Mains", "Enchiladas Verdes", 1250, "none", "milk", "filling"),
        Recipe("Mains", "Chicken Mole", 1390, "none", "nuts sesame", "mexican_extra"),
        Recipe("Mains", "Chiles Rellenos", 1190, "vegetarian", "milk egg", "salsa"),
        Recipe("Mains", "Fajitas", 1490, "none", "gluten milk", "filling salsa"),
        Recipe("Mains", "Chili sin Carne", 1050, "vegan", "", "mexican_extra"),
        Recipe("Sides", "Refried Beans", 390, "vegan", "", ""),
        Recipe("Sides", "Mexican Rice", 350, "vegan", "", ""),
        Recipe("Desserts", "Churros", 520, "vegetarian", "gluten milk egg", ""),
        Recipe("Desserts", "Flan", 490, "vegetarian", "milk egg", ""),
        Recipe("Drinks", "Horchata", 350, "vegan", "nuts", "drink_size"),
        Recipe("Drinks", "Hibiscus Water", 320, "vegan", "", "drink_size"),
    ),
    "thai": (
        Recipe("Starters", "Spring Rolls", 590, "vegan", "gluten soy", ""),
        Recipe("Starters", "Chicken Satay", 750, "none", "peanuts soy", ""),
        Recipe("Starters", "Fish Cakes", 720, "none", "fish egg", ""),
        Recipe("Starters", "Tom Yum Soup", 790, "none", "shellfish fish", "protein spice"),
        Recipe("Starters", "Tom Kha Soup", 790, "none", "fish", "protein"),
        Recipe("Salads", "Papaya Salad", 890, "none", "peanuts fish", "spice"),
        Recipe("Salads", "Glass Noodle Salad", 950, "none", "fish shellfish", "spice"),
        Recipe("Curries", "Green Curry", 1190, "none", "fish", "protein thai_side"),
        Recipe("Curries", "Red Curry", 1190, "none", "fish", "protein thai_side"),
        Recipe("Curries", "Massaman Curry", 1290, "none", "fish peanuts", "protein thai_side"),
        Recipe("Curries", "Yellow Vegetable Curry", 1050, "vegan", "", "spice thai_side"),
        Recipe("Curries", "Panang Curry", 1250, "none", "fish peanuts", "protein thai_side"),
        Recipe("Noodles", "Pad Thai", 1150, "none", "peanuts egg fish", "protein spice"),
        Recipe("Noodles", "Pad See Ew", 1150, "none", "soy egg", "protein noodles"),
        Recipe("Noodles", "Drunken Noodles", 1190, "none", "soy fish", "noodles spice"),
        Recipe("Noodles", "Vegan Pad Thai", 1090, "vegan", "peanuts soy", "spice"),
        Recipe("Wok", "Basil Beef", 1290, "none", "soy fish", "spice thai_side"),
        Recipe("Wok", "Cashew Chicken", 1250, "none", "nuts soy", "spice thai_side"),
        Recipe("Wok", "Ginger Tofu", 1050, "vegan", "soy", "thai_side"),
        Recipe("Wok", "Pineapple Fried Rice", 1090, "vegetarian", "egg soy nuts", "spice"),
        Recipe("Desserts", "Mango Sticky Rice", 590, "vegan", "sesame", ""),
        Recipe("Desserts", "Fried Banana", 520, "vegan", "gluten", ""),
        Recipe("Drinks", "Thai Iced Tea", 390, "vegetarian", "milk", "drink_size"),
        Recipe("Drinks", "Coconut Water", 350, "vegan", "", ""),
    ),
    "burgers": (
        Recipe("Burgers", "Classic Burger", 990, "none", "gluten egg sesame", "doneness burger_side"),
        Recipe("Burgers", "Cheeseburger", 1090, "none", "gluten milk egg sesame", "doneness burger_side burger_extra"),
        Recipe("Burgers", "Double Cheeseburger", 1390, "none", "gluten milk egg sesame", "burger_side burger_extra"),
        Recipe("Burgers", "Bacon Burger", 1190, "none", "gluten egg sesame", "doneness burger_side"),
        Recipe("Burgers", "Blue Cheese Burger", 1250, "none", "gluten milk egg", "doneness burger_side"),
        Recipe("Burgers", "Chicken Burger", 1090, "none", "gluten egg", "burger_side burger_extra"),
        Recipe("Burgers", "Fish Burger", 1150, "none", "gluten fish egg", "burger_side dip"),
        Recipe("Burgers", "Halloumi Burger", 1090, "vegetarian", "gluten milk sesame", "burger_side burger_extra"),
        Recipe("Burgers", "Bean Burger", 990, "vegan", "gluten soy", "burger_side dip"),
        Recipe("Burgers", "Portobello Burger", 1050, "vegetarian", "gluten milk", "burger_side"),
        Recipe("Burgers", "Smash Burger", 1190, "none", "gluten milk egg", "burger_side burger_extra"),
        Recipe("Chicken", "Chicken Wings", 890, "none", "celery mustard", "pieces dip"),
        Recipe("Chicken", "Chicken Tenders", 850, "none", "gluten egg", "dip"),
        Recipe("Hot dogs", "Chili Dog", 790, "none", "gluten milk mustard", ""),
        Recipe("Hot dogs", "Veggie Dog", 750, "vegan", "gluten soy mustard", ""),
        Recipe("Sides", "Loaded Fries", 690, "none", "milk", "dip"),
        Recipe("Sides", "Truffle Fries", 650, "vegetarian", "milk egg", "dip"),
        Recipe("Sides", "Mac and Cheese", 720, "vegetarian", "gluten milk", ""),
        Recipe("Sides", "Corn on the Cob", 390, "vegan", "", ""),
        Recipe("Sides", "House Salad", 590, "vegan", "mustard", ""),
        Recipe("Desserts", "Brownie", 450, "vegetarian", "gluten milk egg nuts", ""),
        Recipe("Desserts", "Apple Pie", 490, "vegetarian", "gluten milk", ""),
        Recipe("Drinks", "Vanilla Milkshake", 520, "vegetarian", "milk", "drink_size"),
        Recipe("Drinks", "Root Beer", 320, "vegan", "", "drink_size"),
    ),
    "bakery": (
        Recipe("Bread", "Sourdough Loaf", 590, "vegan", "gluten", "slices"),
        Recipe("Bread", "Rye Loaf", 540, "vegan", "gluten", "slices"),
        Recipe("Bread", "Baguette", 320, "vegan", "gluten", ""),
        Recipe("Bread", "Seeded Rolls", 390, "vegan", "gluten sesame", "spread"),
        Recipe("Bread", "Olive Ciabatta", 450, "vegan", "gluten", ""),
        Recipe("Pastries", "Croissant", 320, "vegetarian", "gluten milk egg", "spread"),
        Recipe("Pastries", "Almond Croissant", 420, "vegetarian", "gluten milk egg nuts", ""),
        Recipe("Pastries", "Cinnamon Roll", 390, "vegetarian", "gluten milk egg", ""),
        Recipe("Pastries", "Pain au Chocolat", 380, "vegetarian", "gluten milk egg", ""),
        Recipe("Pastries", "Cherry Danish", 410, "vegetarian", "gluten milk egg", ""),
        Recipe("Pastries", "Vegan Banana Muffin", 390, "vegan", "gluten nuts", ""),
        Recipe("Sandwiches", "Ham and Cheese Toastie", 790, "none", "gluten milk", "dip"),
        Recipe("Sandwiches", "Egg Bagel", 690, "vegetarian", "gluten egg sesame", ""),
        Recipe("Sandwiches", "Smoked Salmon Bagel", 950, "none", "gluten fish milk sesame", ""),
        Recipe("Sandwiches", "Hummus Sandwich", 750, "vegan", "gluten sesame", ""),
        Recipe("Sandwiches", "Chicken Pesto Panini", 890, "none", "gluten milk nuts", "dip"),
        Recipe("Cakes", "Carrot Cake", 490, "vegetarian", "gluten egg milk nuts", ""),
        Recipe("Cakes", "Lemon Tart", 520, "vegetarian", "gluten egg milk", ""),
        Recipe("Cakes", "Chocolate Cake", 510, "vegetarian", "gluten egg milk", ""),
        Recipe("Cakes", "Cheesecake", 530, "vegetarian", "gluten egg milk", ""),
        Recipe("Drinks", "Cappuccino", 390, "vegetarian", "milk", "drink_size milk"),
        Recipe("Drinks", "Latte", 420, "vegetarian", "milk", "drink_size milk"),
        Recipe("Drinks", "Filter Coffee", 320, "vegan", "", "drink_size"),
        Recipe("Drinks", "Hot Chocolate", 430, "vegetarian", "milk", "drink_size milk"),
    ),
    "vegan": (
        Recipe("Starters", "Lentil Soup", 650, "vegan", "celery", ""),
        Recipe("Starters", "Hummus Plate", 720, "vegan", "sesame gluten", ""),
        Recipe("Starters", "Cauliflower Wings", 790, "vegan", "gluten soy", "dip"),
        Recipe("Starters", "Summer Rolls", 690, "vegan", "peanuts soy", ""),
        Recipe("Bowls", "Buddha Bowl", 1190, "vegan", "sesame", "bowl_base dressing bowl_extra"),
        Recipe("Bowls", "Falafel Bowl", 1150, "vegan", "sesame", "bowl_base dressing"),
        Recipe("Bowls", "Teriyaki Tofu Bowl", 1190, "vegan", "soy sesame", "bowl_base bowl_extra"),
        Recipe("Bowls", "Roasted Beet Bowl", 1090, "vegan", "nuts", "bowl_base dressing"),
        Recipe("Bowls", "Tempeh Bowl", 1250, "vegan", "soy", "bowl_base dressing bowl_extra"),
        Recipe("Mains", "Jackfruit Burger", 1190, "vegan", "gluten soy", "spice"),
        Recipe("Mains", "Mushroom Bourguignon", 1290, "vegan", "celery", ""),
        Recipe("Mains", "Seitan Gyros", 1190, "vegan", "gluten soy", "spice"),
        Recipe("Mains", "Lentil Bolognese", 1090, "vegan", "gluten celery", "pasta"),
        Recipe("Mains", "Cashew Alfredo", 1190, "vegan", "gluten nuts", "pasta"),
        Recipe("Mains", "Peanut Stew", 1150, "vegan", "peanuts", "spice rice"),
        Recipe("Mains", "Stuffed Peppers", 1150, "vegan", "", ""),
        Recipe("Salads", "Kale Caesar Salad", 990, "vegan", "nuts mustard", "bowl_extra"),
        Recipe("Salads", "Lentil Salad", 920, "vegan", "mustard", "dressing"),
        Recipe("Wraps", "Falafel Wrap", 890, "vegan", "gluten sesame", "dressing"),
        Recipe("Wraps", "Smoked Tofu Wrap", 920, "vegan", "gluten soy", "dressing"),
        Recipe("Desserts", "Chia Pudding", 490, "vegan", "nuts", ""),
        Recipe("Desserts", "Raw Chocolate Tart", 560, "vegan", "nuts", ""),
        Recipe("Drinks", "Ginger Shot", 320, "vegan", "", ""),
        Recipe("Drinks", "Green Smoothie", 490, "vegan", "", "drink_size"),
    ),
}
