"""The words of which the worlds are made: people, folders, file names, lines of text."""

from __future__ import annotations

from typing import Final

PEOPLE: Final = {
    "ana": "Ana Ferreira",
    "bilal": "Bilal Haddad",
    "carla": "Carla Jensen",
    "dmitri": "Dmitri Volkov",
    "elif": "Elif Kaya",
    "farid": "Farid Rahimi",
    "greta": "Greta Lindqvist",
    "hugo": "Hugo Marchand",
    "ines": "Inês Duarte",
    "jonas": "Jonas Weber",
    "kofi": "Kofi Mensah",
    "lena": "Lena Novak",
    "mateo": "Mateo Rojas",
    "nadia": "Nadia Petrova",
    "omar": "Omar Aziz",
    "priya": "Priya Nair",
    "quinn": "Quinn Byrne",
    "rosa": "Rosa Bianchi",
    "sven": "Sven Olsen",
    "tomoko": "Tomoko Arai",
}
GROUPS: Final = ("staff", "dev", "finance", "ops", "design", "audit")

PROJECTS: Final = (
    "atlas", "beacon", "cobalt", "dune", "ember", "falcon", "garnet", "harbor", "iris", "juniper", "kestrel", "lumen",
    "meadow", "nimbus", "orchid", "pioneer", "quartz", "ridge", "sable", "tundra",
)  # fmt: skip
SERVICES: Final = (
    "billing", "search", "mailer", "gateway", "catalog", "reporting", "scheduler", "accounts", "metrics", "uploads",
)  # fmt: skip
HOME_FOLDERS: Final = (
    "documents", "journal", "finance", "recipes", "travel", "photos", "downloads", "letters", "courses", "house",
    "garden", "music", "health", "club", "genealogy",
)  # fmt: skip
SUBFOLDERS: Final = {
    "documents": ("contracts", "forms", "manuals", "minutes", "certificates", "drafts"),
    "journal": ("winter", "spring", "summer", "autumn", "ideas"),
    "finance": ("taxes", "invoices", "insurance", "pension", "receipts"),
    "recipes": ("soups", "baking", "salads", "preserves"),
    "travel": ("lisbon", "oslo", "kyoto", "alps", "coast"),
    "photos": ("wedding", "harvest", "portraits", "scans"),
    "letters": ("landlord", "school", "council", "family"),
    "courses": ("statistics", "pottery", "spanish", "welding"),
    "house": ("heating", "lease", "renovation", "inventory"),
    "garden": ("seeds", "compost", "orchard", "plans"),
    "music": ("lyrics", "chords", "setlists"),
    "health": ("checkups", "training", "diet"),
    "club": ("members", "events", "rules"),
    "genealogy": ("parish", "census", "interviews"),
}
PROJECT_FOLDERS: Final = ("src", "tests", "docs", "config", "data", "logs", "scripts", "build")
MODULES: Final = (
    "parser", "storage", "routes", "models", "session", "export", "filters", "report", "client", "worker", "queue",
    "render", "signals", "tokens", "schema", "planner", "cache", "loader", "mapper", "audit",
)  # fmt: skip
TOPICS: Final = (
    "boiler", "kitchen", "tenancy", "harvest", "choir", "bicycle", "holiday", "workshop", "budget", "interview",
    "dentist", "birthday", "insurance", "roof", "library", "museum", "allotment", "festival", "survey", "moving",
    "orchard", "chess", "fundraiser", "reunion", "solar", "attic", "canoe", "market", "puppy", "piano", "quilt",
    "sauna", "tiles", "vaccine", "wiring", "yoga", "zoning", "bakery", "cellar", "drainage",
)  # fmt: skip
SHAPES: Final = ("notes", "plan", "list", "draft", "summary", "questions", "outline", "log", "review", "report")
COMMON: Final = ("notes.md", "todo.txt", "README.md", "ideas.md", "draft.txt", "index.md")
TABLES: Final = ("orders", "contacts", "expenses", "stock", "visits", "payments", "members", "readings", "shifts")

SENTENCES: Final = (
    "ask the supplier for a second offer", "the keys are with the neighbour", "call back on Thursday morning",
    "compare the prices before the end of the month", "the old contract runs out in autumn",
    "measure the window once more", "two of the boxes arrived damaged", "send the corrected version to everyone",
    "the meeting was moved to the small room", "nobody has answered the second letter yet",
    "check whether the deposit was paid back", "the first draft is too long by half",
    "bring the signed form to the office", "we agreed on the cheaper variant",
    "the café on the corner closes at six", "order more paper and two ink cartridges",
    "the numbers of last week are still missing", "thank the volunteers by name",
    "the train at eight is the better one", "look for the receipt in the blue folder",
    "the password hint is on the last page", "water the seedlings every other day",
    "the audit starts after the holidays", "write down who has borrowed which tools",
    "the pump makes a noise at night", "ask for a quieter desk", "the recipe needs twice the flour",
    "repaint the shutters before it rains", "the backup took four hours", "keep the warranty card",
    "rehearsal begins at seven sharp", "the map is out of date", "renew the library card",
    "the second page was scanned upside down", "nothing is decided before the vote",
    "label the shelves from left to right", "the visitor badge has to be returned",
    "the heating was set to twenty degrees", "remember the coffee for the workshop",
    "the deadline was extended by a week",
)  # fmt: skip
HEADINGS: Final = (
    "Open points", "What was decided", "Next steps", "Questions", "Costs", "Dates", "People", "Background", "Risks",
)  # fmt: skip
NAMES: Final = (
    "Abel Stone", "Bea Lund", "Cem Ota", "Dora Vance", "Emil Roth", "Fay Moreau", "Gus Haan", "Hana Sato", "Ivo Brandt",
    "Jana Kral", "Kai Winter", "Lia Costa", "Max Ahlgren", "Nia Okoro", "Ole Berg", "Pia Conti",
)  # fmt: skip
GOODS: Final = (
    "lamp", "desk", "chair", "shelf", "kettle", "cable", "paper", "drill", "paint", "screws", "tape", "hose", "filter",
)  # fmt: skip
EVENTS: Final = (
    "request served", "cache refreshed", "job queued", "connection closed", "session opened", "index rebuilt",
    "mail handed over", "retry scheduled", "file stored", "token renewed",
)  # fmt: skip
TROUBLES: Final = (
    "timeout after 30 s", "disk almost full", "connection refused", "checksum mismatch", "queue is full",
    "certificate expires soon",
)  # fmt: skip
SETTINGS: Final = (
    "timeout", "retries", "workers", "cache_size", "log_level", "region", "batch", "interval", "max_users", "theme",
)  # fmt: skip
HOSTS: Final = ("db-main", "db-replica", "mail-relay", "cache-north", "cache-south", "store-a", "store-b")
