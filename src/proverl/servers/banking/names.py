"""The vocabulary of the banking worlds: banks, people, companies, merchants, nicknames and texts.

All invented. Amounts are cents.
"""

from __future__ import annotations

BANKS: dict[str, str] = {
    "021000021": "Harbor National Bank",
    "011908418": "Old Colony Savings Bank",
    "031176204": "Keystone Trust",
    "044203151": "Lakefront Bank",
    "051409773": "Blue Ridge Credit Union",
    "063104587": "Gulf Coast Bank",
    "071923653": "Prairie State Bank",
    "081506125": "Gateway Bank",
    "091207333": "North Star Credit Union",
    "101102946": "Sunflower Bank and Trust",
    "111910869": "Lone Mesa Bank",
    "121405173": "Pacific Crest Bank",
    "213708225": "Hudson Valley Savings",
    "253074168": "Piedmont Credit Union",
    "272971048": "Great Lakes Community Bank",
    "321180421": "Redwood Credit Union",
}

FIRST_NAMES = (
    "Abigail", "Adrian", "Alice", "Amir", "Anita", "Beatriz", "Benjamin", "Bruno", "Camille", "Carlos", "Chloe",
    "Daniel", "Deepa", "Diego", "Elena", "Eli", "Emma", "Farah", "Felix", "Gabriel", "Grace", "Hannah", "Hugo",
    "Imani", "Isaac", "Jasmine", "Joel", "Kavya", "Kenji", "Laura", "Leon", "Lucia", "Malik", "Maya", "Miriam",
    "Nadia", "Noah", "Olivia", "Oscar", "Paula", "Peter", "Priya", "Quentin", "Rachel", "Rafael", "Rosa", "Samuel",
    "Sofia", "Tariq", "Theresa", "Thomas", "Uma", "Victor", "Wendy", "Xavier", "Yara", "Yusuf", "Zachary",
)  # fmt: skip
SURNAMES = (
    "Abbott", "Alvarez", "Anders", "Barlow", "Becker", "Bennett", "Castillo", "Chandra", "Cho", "Costa", "Delgado",
    "Dunn", "Ekström", "Farrell", "Fischer", "Fontaine", "Garrison", "Goldberg", "Haddad", "Hale", "Ibarra",
    "Iversen", "Jansen", "Kaplan", "Kowalski", "Lambert", "Lindqvist", "Marchetti", "Mbeki", "Mercer", "Nakamura",
    "Novak", "Okafor", "Osborne", "Patel", "Pereira", "Quinn", "Rahman", "Reyes", "Sandoval", "Schuster", "Silva",
    "Tanaka", "Thornton", "Ueda", "Vance", "Vargas", "Whitfield", "Winslow", "Yamada", "Zeller",
)  # fmt: skip

COMPANIES: tuple[tuple[str, str, int, int], ...] = (
    # name, category, lowest and highest usual payment
    ("Hilltop Property Management", "housing", 1_150_00, 1_950_00),
    ("Marlow Plumbing", "housing", 80_00, 620_00),
    ("Ironworks Fitness", "health", 29_00, 89_00),
    ("Clearwater Utilities", "utilities", 35_00, 160_00),
    ("Summit Electric", "utilities", 55_00, 240_00),
    ("Lantern Internet", "utilities", 45_00, 95_00),
    ("Beacon Mobile", "utilities", 25_00, 110_00),
    ("Maple Street Dental", "health", 60_00, 480_00),
    ("Northgate Pediatrics", "health", 40_00, 260_00),
    ("Evergreen Landscaping", "housing", 70_00, 300_00),
    ("Little Acorns Daycare", "housing", 220_00, 780_00),
    ("Brightside Music School", "entertainment", 45_00, 180_00),
    ("Cedar Lane Homeowners", "housing", 90_00, 340_00),
    ("Steadfast Insurance", "fees", 60_00, 290_00),
    ("Fairview Auto Repair", "transport", 90_00, 900_00),
    ("Orchard Tax Advisers", "fees", 120_00, 450_00),
    ("Riverside Swim Club", "health", 30_00, 120_00),
    ("Paper Lantern Catering", "dining", 150_00, 850_00),
    ("Safe Haven Storage", "housing", 55_00, 210_00),
    ("Second Chance Animal Shelter", "shopping", 15_00, 100_00),
)

MERCHANTS: dict[str, tuple[tuple[str, int, int], ...]] = {
    # category: merchant, lowest and highest usual purchase
    "groceries": (
        ("Green Basket Market", 9_00, 138_00),
        ("Sunrise Grocers", 6_00, 112_00),
        ("Harvest Corner", 4_00, 74_00),
        ("Bulk Barn Foods", 22_00, 210_00),
        ("La Esquina Market", 5_00, 66_00),
    ),
    "dining": (
        ("Corner Brew", 3_50, 18_00),
        ("Tortilla Union", 8_00, 36_00),
        ("Noodle Harbor", 11_00, 58_00),
        ("The Copper Spoon", 24_00, 145_00),
        ("Daily Crumb Bakery", 3_00, 24_00),
        ("Pho Lantern", 10_00, 44_00),
        ("Slice Station", 7_00, 39_00),
    ),
    "transport": (
        ("Metro Transit", 2_75, 32_00),
        ("Gallop Rides", 6_00, 48_00),
        ("Fillmore Fuel", 18_00, 82_00),
        ("Parkwell Garages", 4_00, 40_00),
    ),
    "health": (
        ("Wellspring Pharmacy", 4_00, 96_00),
        ("Clear View Optics", 35_00, 320_00),
        ("Peak Climbing Gym", 14_00, 65_00),
    ),
    "shopping": (
        ("Loom and Thread", 18_00, 190_00),
        ("Hearth Home Goods", 9_00, 260_00),
        ("Volt Electronics", 15_00, 740_00),
        ("Page Turner Books", 7_00, 72_00),
        ("Parcel Online", 6_00, 180_00),
        ("Trailhead Outfitters", 21_00, 310_00),
        ("Toolbox Hardware", 4_00, 150_00),
    ),
    "entertainment": (
        ("Orpheum Cinema", 11_00, 54_00),
        ("Streamhouse", 8_99, 22_99),
        ("Pixel Arcade", 5_00, 40_00),
        ("City Concert Hall", 28_00, 180_00),
    ),
    "utilities": (("Kilowatt Charge Points", 6_00, 44_00), ("Quick Wash Laundry", 4_00, 26_00)),
    "travel": (
        ("Blue Heron Airlines", 89_00, 640_00),
        ("Wayfarer Inn", 96_00, 480_00),
        ("Railway Express", 18_00, 160_00),
    ),
    "housing": (("Paint and Plank", 12_00, 190_00),),
}
CATEGORY_WEIGHTS: dict[str, int] = {
    "groceries": 24,
    "dining": 24,
    "transport": 14,
    "shopping": 15,
    "entertainment": 7,
    "health": 6,
    "utilities": 4,
    "travel": 4,
    "housing": 2,
}

EMPLOYERS = (
    "Northwind Logistics Payroll", "Atlas Robotics Payroll", "Silver Birch School Payroll", "Delta Clinic Payroll",
    "Juniper Software Payroll", "Granite County Payroll", "Meridian Foods Payroll", "Cobalt Design Payroll",
)  # fmt: skip

STEMS = ("Everyday", "Household", "Joint", "Family", "Personal", "Primary", "Freelance", "Student", "Allotment")
FUNDS = (
    "Rainy Day Savings", "Holiday Fund", "House Deposit", "Emergency Fund", "Wedding Fund", "New Car Fund",
    "College Fund", "Garden Project", "Tax Reserve",
)  # fmt: skip
CREDIT_LINES = ("Platinum Credit", "Rewards Credit", "Cashback Credit", "Blue Credit", "Miles Credit")
TWIN_ACCOUNTS: tuple[tuple[str, str, str, str], ...] = (
    # two roles, and their nicknames, which differ by one word
    ("main", "{stem} Checking", "capped", "{stem} Savings"),
    ("main", "{stem} Checking", "overdrawn", "{stem} Bills Checking"),
    ("overdrawn", "{stem} Checking", "capped", "{stem} Savings"),
    ("main", "{stem} Main Checking", "overdrawn", "{stem} Spare Checking"),
)
TWIN_CARDS = (
    ("Travel Debit", "Travel Credit"),
    ("Shopping Debit", "Shopping Credit"),
    ("Everyday Debit", "Everyday Credit"),
    ("Family Debit", "Family Credit"),
    ("Online Debit", "Online Credit"),
)
DEBIT_LABELS = ("Groceries Debit", "Fuel Debit", "Main Debit", "Backup Debit", "Weekend Debit", "Blue Debit")
EXPIRED_LABELS = ("Old Debit", "Student Debit", "Gold Debit", "Classic Debit")
CREDIT_LABELS = ("Platinum Credit", "Rewards Credit", "Cashback Credit", "Miles Credit")

TRANSFER_MEMOS = ("monthly saving", "for the weekend", "groceries", "car repair", "birthday money", "evening out")
PAYMENT_MEMOS = (
    "thank you", "dinner share", "concert tickets", "invoice", "gift", "gas money", "picnic", "lesson", "repair",
)  # fmt: skip
REFUND_MEMO = "refund"

NOTICES: tuple[tuple[str, str], ...] = (
    ("Planned maintenance", "Online banking is not available on Sunday from 2:00 to 4:00. Cards work as usual."),
    ("New terms for savings accounts", "As before, a savings account has six withdrawals in a calendar month."),
    ("The holiday schedule", "Payments made on weekends reach payees on the next business day."),
    ("How to spot phishing", "We never ask for your PIN or a one-time code by phone or mail."),
    ("The new branch downtown", "Our branch on Third Street opens next month. Come and see us."),
    ("Changes to overdraft fees", "The fee for a day in overdraft stays at 12.00 dollars."),
    ("Paperless statements", "Statements now arrive in this inbox on the first day of each month."),
    ("The annual privacy notice", "How we use your data has not changed. The full text is on our website."),
)
